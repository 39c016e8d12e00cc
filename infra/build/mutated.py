"""What `make mutate` changes: modules by name, and the tests that belong to each."""

_VALUES = "shared/test_values"
_EDGES = (
    "functions/test_retrieve_push",
    "functions/test_expire_push",
    "functions/test_list_active",
    "functions/test_list_expired",
)
_RULES = (
    *("shared/domain/test_rules", "shared/domain/test_fields", "functions/test_create_push", "contract/test_files"),
    "contract/test_byte_quotas",
)
_PAGES = (*(f"functions/pages/test_{name}" for name in ("account", "account_refusals", "tokens", "my_pushes")),)

_SITE = (
    *(_VALUES, "shared/web/test_pages", *_PAGES, "functions/pages/test_recipient", "functions/pages/test_send"),
    *("contract/test_long_headers", "contract/test_attacks_on_pages", "contract/test_redirects"),
    *(f"functions/pages/test_{name}" for name in ("forged_sign_in", "send_forms", "send_stale", "recipient_again")),
)

# Each module, and the tests that belong to it, below tests/.
MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "seal": ("shared/domain/seal.py", ("shared/domain/test_seal", _VALUES)),
    "rules": ("shared/domain/rules.py", _RULES),
    "fields": ("shared/domain/fields.py", _RULES),
    "auth": (
        "shared/identity/auth.py",
        (
            *("shared/test_auth", "functions/test_list_active", "contract/test_files", "shared/test_standing"),
            *("functions/pages/test_tokens", "contract/test_one_write"),
        ),
    ),
    "tokens": ("shared/aws/tokens.py", ("shared/test_auth", "shared/test_standing", "shared/aws/test_store")),
    "transactions": (
        "shared/aws/dynamodb.py",
        (
            _VALUES,
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
            *(
                "contract/test_one_write",
                "shared/aws/test_store",
                "contract/test_stale_reads",
                "contract/test_late_ttl",
                "contract/test_leases",
                "contract/test_repeated_creates",
            ),
            *(*_EDGES, "functions/test_read_audit", "contract/test_long_labels", "contract/test_arrivals"),
            *("contract/test_write_units", "contract/test_resending"),
        ),
    ),
    "lists": (
        "shared/aws/lists.py",
        (
            *("shared/aws/test_lists", *_EDGES[2:], "functions/test_read_audit", "shared/aws/test_store"),
            "contract/test_stale_reads",
        ),
    ),
    "reads": ("shared/aws/reads.py", ("shared/aws/test_store", "contract/test_leases", "contract/test_stale_reads")),
    "lease": ("shared/domain/lease.py", ("shared/domain/test_lease", _VALUES, "contract/test_leases")),
    "repeats": ("shared/domain/repeats.py", ("shared/domain/test_repeats", "contract/test_repeated_creates")),
    "creation": (
        "shared/service/create.py",
        (
            *(
                _VALUES,
                "shared/test_creation",
                "contract/test_contended",
                "contract/test_repeated_creates",
                "functions/test_create_push",
                "contract/test_one_write",
            ),
            *("contract/test_files", "contract/test_removal", "contract/test_write_units", "contract/test_byte_quotas"),
            *("contract/test_long_labels", "contract/test_instance_key"),
        ),
    ),
    "retrieval": (
        "shared/service/retrieve.py",
        (
            *(
                _VALUES,
                "shared/test_retrieval",
                "contract/test_leases",
                "functions/test_retrieve_push",
                "contract/test_one_write",
            ),
            *(
                "contract/test_late_ttl",
                "contract/test_arrivals",
                "functions/pages/test_recipient",
            ),
            *("functions/pages/test_recipient_again", "functions/test_read_audit", "contract/test_instance_key"),
            "contract/test_contended",
        ),
    ),
    "service": (
        "shared/service/pushes.py",
        (
            "shared/test_service",
            *("functions/test_expire_push", "functions/test_preview_push", *_EDGES[2:], "functions/test_read_audit"),
            *("contract/test_leases", "contract/test_one_write", "contract/test_late_ttl", "contract/test_long_labels"),
            *("contract/test_instance_key", "functions/pages/test_my_pushes", "functions/pages/test_send"),
            "contract/test_contended",
        ),
    ),
    "accounts": (
        "shared/identity/accounts.py",
        ("shared/test_accounts", *_PAGES[:2], "shared/test_standing", "infra/operator/test_account"),
    ),
    "site": ("shared/web/pages.py", _SITE),
    "page_request": ("shared/web/page_request.py", _SITE),
    "api": (
        "shared/web/api.py",
        (
            *(
                _VALUES,
                "shared/web/test_api",
                "contract/test_api_v1",
                "functions/test_create_push",
                *_EDGES,
                "functions/test_read_audit",
                "functions/test_version",
            ),
            *("contract/test_specification", "contract/test_crashes", "contract/test_byte_quotas"),
        ),
    ),
}
