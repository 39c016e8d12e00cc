# Everything a person or CI does with the project. `make` alone prints this list.
ifneq (,$(filter 3.7% 3.80% 3.81%,$(MAKE_VERSION)))
$(error GNU make 3.82 or newer is needed, and this is $(MAKE_VERSION), as macOS has it: `brew install make`, then \
  PATH="$$(brew --prefix)/opt/make/libexec/gnubin:$$PATH", since SAM calls `make` as well)
endif
.DEFAULT_GOAL := help
.ONESHELL:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
PORT ?= 8000
ENV ?= dev
CANARY ?= false
SNAPSTART ?= false
ROWS ?=
comma := ,
ACCOUNT ?= demo@example.com
BRAND ?= functions/pages/brand
export BRAND := $(abspath $(BRAND))
export SAM_CLI_TELEMETRY := 0
# Containers often forbid Python to keep compiled modules: every process of the tests would compile all of them again.
export PYTHONDONTWRITEBYTECODE :=

VENV := .venv
RUN := $(VENV)/bin/python
PYTEST := $(RUN) -m pytest -n logical --maxprocesses 4 --dist loadscope
PYTEST_E2E := $(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder
SAM := .local/venvs/sam/bin/sam
CHECKOV := .local/venvs/audit/bin/checkov -f .local/expanded.yaml infra/front.yaml --framework cloudformation --compact --quiet --skip-download

.PHONY: FORCE bundle docs pictures translate help run token test test-fast test-long cover prove bench check audit deploy front verify lock clean setup setup-local setup-browser setup-clients setup-audit setup-bench
help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: setup-local ## run the whole service at http://127.0.0.1:8000 (PORT=9000 for another port)
	@exec $(RUN) -m infra.local.run --port $(PORT)

token: setup ## mint an API token on the running local stack: make token OWNER=bob (or ACCOUNT=the address of an account)
	@$(RUN) -m infra.operator.issue_token --local mint $(if $(OWNER),--owner "$(OWNER)",--account "$(ACCOUNT)")

test: setup-local setup-browser setup-clients setup-audit ## run the tests, those in a browser and on the local stack included
	$(PYTEST) -m "not e2e and not long"
	$(PYTEST_E2E) -m "not long" tests/e2e

test-fast: setup ## run the tests that need neither a browser nor the local stack
	$(PYTEST) -m "not e2e and not browser and not long"

test-long: setup-local setup-browser setup-clients setup-audit ## run the tests that take minutes, which `make test` leaves out
	$(PYTEST) -m "long and not e2e"
	$(PYTEST_E2E) -m "long and e2e"

cover: setup setup-browser ## report the branches that no test in process takes
	$(PYTEST) -m "not e2e and not long" --cov

prove: setup-local setup-browser setup-clients ## try to break every promise for some minutes; writes the figures to docs/proof.md
	PROVE=1 $(PYTEST) -m "prove or only_prove or (e2e and not long)" --timeout 1800

bench: setup setup-browser setup-bench ## measure speed and cost beside what they are made of, for some minutes; writes docs/performance.md (ROWS=cold,warm for some)
	@$(RUN) -m tests.bench $(subst $(comma), ,$(ROWS))

pictures: setup-browser ## take the documents' pictures, in three browsers
	@fc-list :lang=ja | grep -q . || apt-get install -y -qq --no-install-recommends fonts-noto-cjk >/dev/null
	PICTURES=1 $(RUN) -m pytest tests/browser/test_pictures.py

docs: setup ## generate what documents repeat of the code: settings, permissions, architecture, costs, endpoints
	@$(RUN) -m infra.build.docs

translate: setup ## bring the translations in step with the sentences in the code, and list what to translate (TAGS="sv ja" for some)
	$(RUN) -m infra.build.catalogues $(TAGS)

check: setup-local .local/venvs/audit/.ready ## lint, types, template
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(RUN) -m pytest -q tests/contract/test_layers.py
	AWS_DEFAULT_REGION=us-east-1 $(SAM) validate --lint
	.local/venvs/sam/bin/python -m infra.build.lint_variants
	.local/venvs/audit/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows docs/examples/deploy.yml
	$(RUN) -m infra.build.template >.local/expanded.yaml && $(CHECKOV)

audit: setup .local/venvs/audit/.ready ## look for known faults in the template and in what is locked
	$(RUN) -m infra.build.template >.local/expanded.yaml && $(CHECKOV)
	.local/venvs/audit/bin/pip-audit --strict --require-hashes --disable-pip -r requirements.txt

deploy: setup .local/venvs/sam/.ready ## deploy to AWS what samconfig.toml says: make deploy ENV=prod (and BRAND=your-directory, CANARY=true)
	@$(RUN) -m infra.build.deploy --config-env $(ENV) --canary $(CANARY) --snap-start $(SNAPSTART)

front: setup ## deploy CloudFront and its firewall before an installation: make front ENV=prod CERTIFICATE_ARN=arn:… (in us-east-1)
	@$(RUN) -m infra.build.front --config-env $(ENV) --certificate-arn "$(CERTIFICATE_ARN)"

verify: setup ## ask an installation whether it keeps its promises: make verify BASE_URL=https://… TOKEN=… (STACK=name looks inside too, FLOOD=1 tries a rate limit)
	@VERIFY_URL="$${BASE_URL-}" VERIFY_TOKEN="$${TOKEN-}" VERIFY_STACK="$${STACK-}" $(RUN) -m tests.verify

lock: ## lock what pyproject.toml requires, with hashes: make lock UPGRADE=1 takes the newest versions
	@compile() {
	  $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-header $(if $(UPGRADE),--upgrade) "$$@"
	}
	compile pyproject.toml --output-file requirements.txt
	for lock in requirements/*.txt; do
	  group=$$(basename $$lock .txt)
	  compile --group $$group $$([ $$group != dev ] || echo pyproject.toml -c requirements.txt) --output-file $$lock
	done

clean: ## remove what the other targets made, the local data included
	rm -rf $(VENV) .local .aws-sam .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

# ---------------------------------------------------------------- what the targets need

setup: $(VENV)/.ready ## install what the project needs into .venv
setup-audit: .local/venvs/audit/.ready
setup-local: $(VENV)/.ready .local/venvs/sam/.ready .local/venvs/ministack/.ready
# The official command line in the versions that spoke API v1, which cannot live beside the one of today; the AWS CLI,
# for the runbook; the generators of clients; and Go, which runs an example: where it or npm is missing, what needs it is
# not tested.
setup-clients: $(patsubst %,.local/venvs/%/.ready,awscli cli generators generators-node pwpush-0.10 pwpush-0.13)
	@$(call debian,go,golang-go)

# Browsers for the tests of the pages. Chromium: the system's, else Debian's package, else Playwright's own build.
# Firefox and WebKit: Debian's packages; elsewhere their tests are skipped, but not in CI.
setup-browser: setup
	@$(call debian,chromium,chromium)
	$(call debian,firefox-esr,firefox-esr)
	$(call debian,WebKitWebDriver,webkit2gtk-driver xvfb)
	command -v chromium >/dev/null || $(RUN) -m playwright install chromium

# What the bench compares with. Where Redis cannot be installed, the page says that it was not measured.
setup-bench: .local/venvs/snappass/.ready
	@$(call debian,redis-server,redis-server)

# The Debian package (2) of a command (1), where that is missing and can be installed.
define debian
if ! command -v $(1) >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing Debian's $(2) …"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(2) >/dev/null
fi
endef

$(VENV)/.ready: requirements/dev.txt
	@$(call install,$(VENV),$<)
# Our own command line, as a user installs it.
.local/venvs/cli/.ready: infra/cli/pyproject.toml $(wildcard infra/cli/secret_cli/*.py)
	@echo "Installing infra/cli into .local/venvs/cli …"
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check ./infra/cli
	touch $@
.local/venvs/%/.ready: requirements/%.txt
	@$(call install,.local/venvs/$*,$<)

# The lock has no addresses, so npm takes its own registry; and no package may run a script.
.local/venvs/generators-node/.ready: tests/clients/package-lock.json
	@mkdir -p $(@D)
	cp tests/clients/package.json $< $(@D)
	if command -v npm >/dev/null; then
	  echo "Installing $< into $(@D) …"
	  (cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	fi
	touch $@

define install
echo "Installing $(2) into $(1) …"
$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
$(PYTHON) -m venv --clear $(1)
$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $(2)
touch $(1)/.ready
endef

# ---------------------------------------------------------------- the bundle, which `sam build` asks for

# What the functions run on; the template's Runtime and Architecture must say the same.
BUNDLE_PYTHON ?= 3.13
BUNDLE_ARCH ?= aarch64
BUNDLE := .local/bundle-$(BUNDLE_PYTHON)-$(BUNDLE_ARCH)

bundle: $(BUNDLE)/.ready
build-%: $(BUNDLE)/.ready
	cp -R $(BUNDLE)/content/. "$(ARTIFACTS_DIR)"

# The directories are there for modules that are deleted: a file that is gone is newer than nothing.
$(BUNDLE)/.ready: requirements.txt infra/build/bundle.py infra/build/trim.py infra/build/compile_catalogues.py infra/build/compile_templates.py functions shared $(shell find functions shared $(BRAND) -type f -not -path '*/__pycache__/*' -not -name '*.mo') $(BUNDLE)/brand
	@$(or $(wildcard $(RUN)),$(PYTHON)) -m infra.build.bundle --python $(BUNDLE_PYTHON) --arch $(BUNDLE_ARCH) --brand $(BRAND) $(BUNDLE)/content
	touch $@
# Which brand the bundle has: newer than the bundle where that is another one.
$(BUNDLE)/brand: FORCE
	@mkdir -p $(@D) && echo $(BRAND) | cmp -s - $@ || echo $(BRAND) >$@
FORCE:
