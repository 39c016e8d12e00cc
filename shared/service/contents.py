"""Open a push and collect the recipient's data, before the view is claimed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from shared.aws import files, reads, store, uploads
from shared.domain import seal
from shared.domain.file import Download, File
from shared.domain.push import Push
from shared.domain.safe_repr import hide_fields

_SECOND = timedelta(seconds=1)


@hide_fields("keys", "payload")
class Contents(NamedTuple):
    """The payload and the links to files for a recipient, and the keys that opened the push."""

    keys: seal.Keys
    payload: str
    downloads: tuple[Download, ...]


def open_contents(
    push: Push, sealed: seal.SealedSecret, keys: seal.Keys, url_token: str, *, links: timedelta
) -> Contents:
    """Return the payload, and a link to each file; `links` is the links' lifetime.

    Raises: FilesMissing, FilesReplaced.
    """
    file_list = _file_list(push, sealed, keys, url_token)
    places = _locate_files(push, file_list)
    ciphertext = sealed.payload if sealed.payload is not None else files.get_sealed(push.folder, files.PAYLOAD)
    payload = seal.open_payload(keys.push_key, ciphertext, url_token)
    downloads = files.downloads(push.folder, file_list, places, lifetime=max(links, _SECOND))
    return Contents(keys, payload, downloads)


def _file_list(push: Push, sealed: seal.SealedSecret, keys: seal.Keys, url_token: str) -> Sequence[File]:
    if sealed.files is None:
        return ()
    ciphertext = sealed.files or files.get_sealed(push.folder, files.FILE_LIST)
    return seal.open_files(keys.push_key, ciphertext, url_token)


def _locate_files(push: Push, file_list: Sequence[File]) -> list[str] | None:
    """Return the end of each file's key (`uploads.locate_files`); None if all files came with the create.

    Of several first views at the same time, only one stores its stamps. All of them use the stored ones.
    """
    stamps = push.arrival
    if push.awaits_files:
        store.record_arrival(push.id, uploads.copy_uploads(push.folder, file_list))
        settled = reads.find(push.id)
        stamps = settled.arrival if settled else None
    return uploads.locate_files(push.folder, stamps) if stamps else None
