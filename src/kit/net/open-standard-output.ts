import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/** A destination of bytes. Its opener closes it when no write is in flight. */
export interface OutputTarget {
  readonly fd: number
  close(): void
}

/**
 * Opens standard output (1) or standard error (2) so that a write never blocks on a reader. Node joins the threads of
 * its pool when it exits, so a thread that blocks in a write would keep the process from exiting (libuv's
 * `uv_library_shutdown`, seen 2026-11-22). Writes to files never block. Files are not opened again, since other
 * processes may share their offset.
 */
export function openStandardOutput(standard: 1 | 2): OutputTarget {
  const nothing = { fd: standard, close: () => undefined }
  const isFast = fstatSync(standard, { throwIfNoEntry: false })?.isFile() ?? true
  if (isFast) return nothing
  const fd = openAnew(standard)
  if (fd !== undefined) return { fd, close: () => closeSync(fd) }
  // Opening Node's own stream makes a target non-blocking that is not opened again, such as a socket. Nothing is
  // written to that stream.
  void (standard === 1 ? process.stdout : process.stderr)
  return nothing
}

/** Opens a file and appends lines to it. */
export function openOutputFile(path: string): OutputTarget {
  const fd = openSync(path, 'a')
  return { fd, close: () => closeSync(fd) }
}

/** Opens the same pipe or terminal again with its own mode, which other holders of it do not share. */
function openAnew(standard: 1 | 2): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return openSync(
      `/proc/self/fd/${standard}`,
      constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    )
  } catch {
    // Sockets cannot be opened again. Neither can pipes of another user or pipes without a reader.
    return undefined
  }
}
