import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/** A destination of bytes. Its opener closes it when no write is under way. */
export interface OutputTarget {
  readonly fd: number
  close(): void
}

/**
 * Standard output (1) or standard error (2), such that a write into it never waits for a reader: Node joins the threads
 * of its pool when it ends, so that one that waits in a write would keep the process from ending
 * (libuv's `uv_library_shutdown`, seen 2026-11-22). Files never wait and stay as they are, since they may be shared by
 * their offset.
 */
export function openStandardOutput(standard: 1 | 2): OutputTarget {
  const nothing = { fd: standard, close: () => undefined }
  const isFast = fstatSync(standard, { throwIfNoEntry: false })?.isFile() ?? true
  if (isFast) return nothing
  const fd = openAnew(standard)
  if (fd !== undefined) return { fd, close: () => closeSync(fd) }
  // Opening Node's own stream sets what is not opened anew, sockets for one, to not waiting; nothing is written to it.
  void (standard === 1 ? process.stdout : process.stderr)
  return nothing
}

/** A file, which lines are added to. */
export function openOutputFile(path: string): OutputTarget {
  const fd = openSync(path, 'a')
  return { fd, close: () => closeSync(fd) }
}

/** The same pipe or terminal in a mode of its own, which other processes that hold it do not share. */
function openAnew(standard: 1 | 2): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return openSync(
      `/proc/self/fd/${standard}`,
      constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    )
  } catch {
    // Sockets cannot be opened anew, nor the pipes of another user, nor a pipe without a reader.
    return undefined
  }
}
