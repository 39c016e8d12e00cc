"""What `make mutate` changes: modules by name, and below tests/ the tests that belong to each."""

_LISTS = (
    "functions/test_list_active",
    "functions/test_list_expired",
)
_EDGES = (
    "functions/test_retrieve_push",
    "functions/test_expire_push",
    *_LISTS,
)
_RULES = (
    "shared/domain/test_rules",
    "shared/domain/test_fields",
    "functions/test_create_push",
    "contract/test_files",
    "contract/test_byte_quotas",
)
_ACCOUNT_PAGES = (
    "functions/pages/test_account",
    "functions/pages/test_account_refusals",
)
_PAGES = (
    *_ACCOUNT_PAGES,
    "shared/domain/test_values",
    "shared/web/test_pages",
    "functions/pages/test_tokens",
    "functions/pages/test_my_pushes",
    "functions/pages/test_recipient",
    "functions/pages/test_send",
    "contract/test_long_headers",
    "contract/test_attacks_on_pages",
    "contract/test_redirects",
    "functions/pages/test_forged_sign_in",
    "functions/pages/test_send_forms",
    "functions/pages/test_send_stale",
    "functions/pages/test_recipient_again",
)

MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "seal": (
        "shared/domain/seal.py",
        (
            "shared/domain/test_seal",
            "shared/domain/test_values",
        ),
    ),
    "rules": (
        "shared/domain/rules.py",
        _RULES,
    ),
    "fields": (
        "shared/domain/fields.py",
        _RULES,
    ),
    "auth": (
        "shared/identity/auth.py",
        (
            "shared/identity/test_auth",
            "functions/test_list_active",
            "contract/test_files",
            "shared/identity/test_account_status",
            "functions/pages/test_tokens",
            "contract/test_one_write",
        ),
    ),
    "tokens": (
        "shared/aws/tokens.py",
        (
            "shared/identity/test_auth",
            "shared/identity/test_account_status",
            "shared/aws/test_store",
        ),
    ),
    "dynamodb": (
        "shared/aws/dynamodb.py",
        (
            "shared/domain/test_values",
            "shared/aws/test_dynamodb",
            "shared/aws/test_store",
            "contract/test_stale_reads",
            "contract/test_resending",
            "contract/test_repeated_creates",
            "contract/test_crashes",
        ),
    ),
    "store": (
        "shared/aws/store.py",
        (
            "contract/test_one_write",
            "shared/aws/test_store",
            "contract/test_stale_reads",
            "contract/test_late_ttl",
            "contract/test_leases",
            "contract/test_repeated_creates",
            "functions/test_read_audit",
            "contract/test_long_labels",
            "contract/test_arrivals",
            "contract/test_write_units",
            "contract/test_resending",
            *_EDGES,
        ),
    ),
    "lists": (
        "shared/aws/lists.py",
        (
            "shared/aws/test_lists",
            "functions/test_read_audit",
            "shared/aws/test_store",
            "contract/test_stale_reads",
            *_LISTS,
        ),
    ),
    "reads": (
        "shared/aws/reads.py",
        (
            "shared/aws/test_store",
            "contract/test_leases",
            "contract/test_stale_reads",
        ),
    ),
    "lease": (
        "shared/domain/lease.py",
        (
            "shared/domain/test_lease",
            "shared/domain/test_values",
            "contract/test_leases",
        ),
    ),
    "idempotency": (
        "shared/domain/idempotency.py",
        (
            "shared/domain/test_idempotency",
            "contract/test_repeated_creates",
        ),
    ),
    "create": (
        "shared/service/create.py",
        (
            "shared/domain/test_values",
            "shared/service/test_create",
            "contract/test_contended",
            "contract/test_repeated_creates",
            "functions/test_create_push",
            "contract/test_one_write",
            "contract/test_files",
            "contract/test_removal",
            "contract/test_write_units",
            "contract/test_byte_quotas",
            "contract/test_long_labels",
            "contract/test_instance_key",
        ),
    ),
    "retrieve": (
        "shared/service/retrieve.py",
        (
            "shared/domain/test_values",
            "shared/service/test_retrieve",
            "contract/test_leases",
            "functions/test_retrieve_push",
            "contract/test_one_write",
            "contract/test_late_ttl",
            "contract/test_arrivals",
            "functions/pages/test_recipient",
            "functions/pages/test_recipient_again",
            "functions/test_read_audit",
            "contract/test_instance_key",
            "contract/test_contended",
        ),
    ),
    "pushes": (
        "shared/service/pushes.py",
        (
            "shared/service/test_pushes",
            "functions/test_expire_push",
            "functions/test_preview_push",
            "functions/test_read_audit",
            "contract/test_leases",
            "contract/test_one_write",
            "contract/test_late_ttl",
            "contract/test_long_labels",
            "contract/test_instance_key",
            "functions/pages/test_my_pushes",
            "functions/pages/test_send",
            "contract/test_contended",
            *_LISTS,
        ),
    ),
    "accounts": (
        "shared/identity/accounts.py",
        (
            "shared/identity/test_accounts",
            "shared/identity/test_account_status",
            "infra/operator/test_account",
            *_ACCOUNT_PAGES,
        ),
    ),
    "pages": (
        "shared/web/pages.py",
        _PAGES,
    ),
    "page_request": (
        "shared/web/page_request.py",
        _PAGES,
    ),
    "api": (
        "shared/web/api.py",
        (
            "shared/domain/test_values",
            "shared/web/test_api",
            "contract/test_api_v1",
            "functions/test_create_push",
            "functions/test_read_audit",
            "functions/test_version",
            "contract/test_specification",
            "contract/test_crashes",
            "contract/test_byte_quotas",
            *_EDGES,
        ),
    ),
}
