"""Open a push and collect the recipient's data, before the view is claimed."""

from collections.abc import Sequence
from datetime import timedelta

from shared.aws import files, reads, store
from shared.domain import seal
from shared.domain.file import Download, File
from shared.domain.push import Push

_SECOND = timedelta(seconds=1)


def open_contents(
    push: Push, sealed: seal.SealedSecret, push_key: bytes, url_token: str, *, links: timedelta
) -> tuple[str, tuple[Download, ...]]:
    """Return the payload, and a link to each file; `links` is the links' lifetime.

    Raises: FilesMissing, FilesReplaced.
    """
    file_list = _file_list(push, sealed, push_key, url_token)
    places = _locate_files(push, file_list)
    ciphertext = sealed.payload if sealed.payload is not None else files.get_sealed(push.folder, files.PAYLOAD)
    payload = seal.open_payload(push_key, ciphertext, url_token)
    return payload, files.downloads(push.folder, file_list, places, lifetime=max(links, _SECOND))


def _file_list(push: Push, sealed: seal.SealedSecret, push_key: bytes, url_token: str) -> Sequence[File]:
    if sealed.files is None:
        return ()
    ciphertext = sealed.files or files.get_sealed(push.folder, files.FILE_LIST)
    return seal.open_files(push_key, ciphertext, url_token)


def _locate_files(push: Push, file_list: Sequence[File]) -> list[str] | None:
    """Return the end of each file's key (`uploads.locate_files`); None if all files came with the create.

    Of several first views at the same time, only one stores its stamps. All of them use the stored ones.
    """
    stamps = push.arrival
    if not push.awaits_files and not stamps:
        return None
    from shared.aws import uploads  # loaded here: few pushes have files that were uploaded in a form

    if push.awaits_files:
        store.record_arrival(push.id, uploads.copy_uploads(push.folder, file_list))
        settled = reads.find(push.id)
        stamps = settled.arrival if settled else None
    return uploads.locate_files(push.folder, stamps) if stamps else None
