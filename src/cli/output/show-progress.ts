import type { CommandIo } from './command-io.ts'

const SHOW_EVERY_MS = 200
const BYTES_PER_MEGABYTE = 1_000_000
const MS_PER_SECOND = 1_000

export interface ProgressOptions {
  readonly io: Pick<CommandIo, 'showProgress'>
  /** The name of the work in one or two words, such as "backup". */
  readonly work: string
  /** The total size, where it is known. */
  readonly totalBytes?: number | undefined
  readonly clock: { monotonicMs(): number }
}

/** Passes bytes through and shows their count on a terminal. The progress line is removed at the end. */
export async function* showProgress<Bytes extends Uint8Array>(
  bytes: AsyncIterable<Bytes>,
  { io: { showProgress: show }, work, totalBytes, clock }: ProgressOptions,
): AsyncGenerator<Bytes, void, undefined> {
  if (show === undefined) {
    yield* bytes
    return
  }
  const startedMs = clock.monotonicMs()
  let shownMs = startedMs
  let sum = 0
  show(`${work} …`)
  try {
    for await (const chunk of bytes) {
      sum += chunk.length
      const nowMs = clock.monotonicMs()
      if (nowMs - shownMs >= SHOW_EVERY_MS) {
        shownMs = nowMs
        show(describeProgress({ work, sum, totalBytes, elapsedMs: nowMs - startedMs }))
      }
      yield chunk
    }
  } finally {
    show('')
  }
}

interface Progress {
  readonly work: string
  readonly sum: number
  readonly totalBytes: number | undefined
  readonly elapsedMs: number
}

function describeProgress({ work, sum, totalBytes, elapsedMs }: Progress): string {
  const megabytes = (bytes: number) => (bytes / BYTES_PER_MEGABYTE).toFixed(1)
  const size =
    totalBytes === undefined || totalBytes === 0
      ? `${megabytes(sum)} MB`
      : `${megabytes(sum)} of ${megabytes(totalBytes)} MB, ${Math.floor((sum / totalBytes) * 100)} %`
  return `${work} … ${size}, ${Math.round(elapsedMs / MS_PER_SECOND)} s`
}
