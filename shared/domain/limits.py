"""The contract's numbers and fixed words. Values for one installation are settings (`settings.py`)."""

from datetime import timedelta

from shared.domain.bounds import Bounds

# Pages of lists and audit logs (sections 4 and 5).
PAGE_SIZE = 50  # rows
MAX_PAGE = 200

# The audit log of a push (section 5).
MAX_AUDIT_ENTRIES = 2_000  # after this, failures are not recorded
MAX_EXPORTED_ENTRIES = 3_000  # of one file of the export: about 4 MB, and Lambda's limit is 6
MAX_MISSING_ENTRIES = MAX_AUDIT_ENTRIES // 2  # leaves room in the log for wrong passphrases

# Wrong passphrases (section 4).
MAX_GUESSES = 5
GUESS_WINDOW = timedelta(seconds=60)
MAX_REPEATS = 10  # of the response to one view of a protected push (section 11)

# The kinds of push (section 3).
TEXT, FILE, URL, QR = "text", "file", "url", "qr"
KINDS = (TEXT, FILE, URL, QR)

# The fields of a push (section 3), in characters unless stated otherwise.
MAX_PAYLOAD = 1_048_576
MAX_QR_CHARACTERS = 1_024
MAX_QR_BYTES = 2_953  # the capacity of one QR code: version 40, level L, byte mode (ISO/IEC 18004)
MAX_PASSPHRASE = 1_000
MAX_PASSPHRASE_BYTES = 2_048  # of UTF-8; percent-encoded, it must fit into a query, within API Gateway's 10 KB
MAX_NAME = 255
MAX_NOTE = 10_000
MAX_NETWORKS = 20  # that a push can be opened from (section 13)
MAX_IGNORED = 10  # names of unknown fields in the response, each of at most MAX_IGNORED_NAME characters
MAX_IGNORED_NAME = 40
DAYS = Bounds(1, 7, 90)  # the widest that an installation may set, and the usual default
VIEWS = Bounds(1, 5, 100)
# The index that clients send as expire_after_duration.
DURATIONS = (
    *(timedelta(minutes=minutes) for minutes in (15, 30, 45)),
    *(timedelta(hours=hours) for hours in (1, 6, 12)),
    *(timedelta(days=days) for days in (1, 2, 3, 4, 5, 6, 7, 14, 21, 30, 60, 90)),
)

# Files (section 8).
MAX_FILES = 10
MAX_INLINE_BYTES = 4 * 1024 * 1024  # all files of one request together
MAX_FILENAME_BYTES = 255
UPLOAD_LIFETIME = timedelta(hours=1)
DOWNLOAD_LIFETIME = timedelta(minutes=5)

# The stored part of a header in an audit entry (section 5), in characters.
MAX_HEADER = 255

# Mails with a link (section 12): recipients of a push, mailings of an owner per minute, mails per day.
MAX_RECIPIENTS = 5
MAX_MAILINGS = 5
MAX_MAILS = 500
MAX_HOURLY_MAILS_TO_ADDRESS = 5  # from all senders together
MAX_DAILY_MAILS_TO_ADDRESS = 20
MAX_NOTICES = 100  # per day, to one owner
SENDING_LOCK = timedelta(seconds=90)  # longer than the timeout of the sending function (template.yaml)
ADDRESS_BLOCK = timedelta(days=365)  # after a bounce or a complaint

# Accounts, sessions and API tokens (section 7). Mails with codes, and one-time codes, per hour.
MAX_CODES_TO_ADDRESS = 5
MAX_CODES_FROM_SOURCE = 20
MAX_ONE_TIME_CODES = 10
ACCOUNT_CHECK = timedelta(hours=1)  # the interval between two checks of an account with Cognito
LONGEST_SESSION = timedelta(days=31)  # one day longer than the maximum of the setting SessionHours
TOKEN_SHOWN_FOR = timedelta(minutes=1)
MAX_TOKEN_NAME = 100
MAX_TOKEN_DAYS = 3_650

# Asks (section 16).
MAX_ASK_MESSAGE = 2_000
ASK_ANSWERS = Bounds(1, 1, 20)
ASK_BYTES = Bounds(1, 25 * 2**20, 2**30)  # of all answers together
MAX_ANSWERS_FROM_SOURCE = 5  # an hour

# Repeated requests (section 11).
IDEMPOTENCY_KEY = (16, 255)  # characters
REPEAT_WINDOW = timedelta(days=1)  # a repeated create within this time creates no second push
