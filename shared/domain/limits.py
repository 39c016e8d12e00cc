"""The numbers and fixed words of the contract. What an installation may change is a setting (`settings.py`)."""

from datetime import timedelta

# Pages of lists and audit logs (sections 4 and 5).
PAGE_SIZE = 50  # rows
MAX_PAGE = 200

# The audit log of a push (section 5).
MAX_AUDIT_ENTRIES = 2_000  # past it, failures are not recorded
MAX_MISSING_ENTRIES = MAX_AUDIT_ENTRIES // 2  # so that nobody can fill the log before they guess

# Wrong passphrases (section 4).
MAX_GUESSES = 5
GUESS_WINDOW = timedelta(seconds=60)
MAX_REPEATS = 10  # of the answer to one view of a protected push (section 11)

# The kinds of push (section 3).
TEXT, FILE, URL, QR = "text", "file", "url", "qr"
KINDS = (TEXT, FILE, URL, QR)

# The fields of a push (section 3), in characters where nothing else is said.
MAX_PAYLOAD = 1_048_576
MAX_QR_CHARACTERS = 1_024
MAX_QR_BYTES = 2_953  # what one QR code holds: version 40, level L, byte mode (ISO/IEC 18004)
MAX_PASSPHRASE = 1_000
MAX_PASSPHRASE_BYTES = 2_048  # of UTF-8: percent-encoded, a query of API Gateway's 10 KB must hold them
MAX_NAME = 255
MAX_NOTE = 10_000
DAYS = (1, 90, 7)  # lowest, highest, default
VIEWS = (1, 100, 5)
# The index that clients send as expire_after_duration.
DURATIONS = (
    *(timedelta(minutes=minutes) for minutes in (15, 30, 45)),
    *(timedelta(hours=hours) for hours in (1, 6, 12)),
    *(timedelta(days=days) for days in (1, 2, 3, 4, 5, 6, 7, 14, 21, 30, 60, 90)),
)

# Files (section 8).
MAX_FILES = 10
MAX_INLINE_BYTES = 4 * 1024 * 1024  # of all files of one request together
MAX_FILENAME_BYTES = 255
UPLOAD_LIFETIME = timedelta(hours=1)
DOWNLOAD_LIFETIME = timedelta(minutes=5)

# What an audit entry keeps of a header (section 5), in characters.
MAX_HEADER = 255

# Mails with a link (section 12): recipients of a push, requests of an owner in a minute, mails in a day.
MAX_RECIPIENTS = 5
MAX_MAILINGS = 5
MAX_MAILS = 500
MAX_HOURLY_MAILS_TO_ADDRESS = 5  # whoever sends them
MAX_DAILY_MAILS_TO_ADDRESS = 20
MAX_NOTICES = 100  # mails that tell an owner of views, in a day
SENDING_LOCK = timedelta(seconds=90)  # longer than the function that sends may run (template.yaml)
ADDRESS_BLOCK = timedelta(days=365)  # after a bounce or a complaint

# Languages by their tags, as the reference writes them, each with its own name for itself.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "it": "Italiano",
    "nl": "Nederlands",
    "pt-BR": "Português (Brasil)",
    "pl": "Polski",
    "cs": "Čeština",
    "uk": "Українська",
    "ja": "日本語",
    "zh-CN": "简体中文",
    "ar": "العربية",
}

# Accounts, sessions and API tokens (section 7). Mails with codes and one-time codes are counted by the hour.
MAX_CODES_TO_ADDRESS = 5
MAX_CODES_FROM_SOURCE = 20
MAX_ONE_TIME_CODES = 10
ACCOUNT_CHECK = timedelta(hours=1)  # how often Cognito is asked whether an account is enabled
LONGEST_SESSION = timedelta(days=31)  # a day more than the setting SessionHours allows
TOKEN_SHOWN_FOR = timedelta(minutes=1)
MAX_TOKEN_NAME = 100
MAX_TOKEN_DAYS = 3_650

# A request that is sent again (section 11).
IDEMPOTENCY_KEY = (16, 255)  # characters
REPEAT_WINDOW = timedelta(days=1)  # in which a create that is sent again makes no second push
