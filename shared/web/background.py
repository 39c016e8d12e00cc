"""The log of the functions that nobody waits for, by Powertools' logger.

To load it takes half of a light function's cold start, so HTTP functions write their one line by `logs.write_request`,
with the same keys.
"""

import logging

from aws_lambda_powertools import Logger

from shared.web import logs

# After the import: where POWERTOOLS_DEBUG is set, Powertools chooses DEBUG for itself.
logging.getLogger("aws_lambda_powertools").setLevel(logging.WARNING)

logger = Logger(service=logs.SERVICE, utc=True, use_rfc3339=True)
