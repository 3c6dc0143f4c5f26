import { Pool } from 'undici'

export interface PairedSubject {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

export interface PairedOptions {
  readonly direct: PairedSubject
  readonly through: PairedSubject
  readonly path: string
  readonly body: Buffer
  /** The bytes that the clock stops at, such as those of the first token; absent: the first byte. */
  readonly marker?: string
  readonly pairs: number
}

export interface Added {
  /** The time that the gateway adds before the marker: median and quartiles of the pairs. */
  readonly medianMs: number
  readonly quartilesMs: readonly [number, number]
}

/** The pairs that are asked before the measured ones. */
export const WARM_UP_PAIRS = 10

/** One call at a time, direct and through the gateway in turn, the order changing from pair to pair. */
export async function measureAdded(options: PairedOptions): Promise<Added> {
  return summarizePairs(await measurePairs(options))
}

/** The time that the gateway adds before the marker, of each pair in milliseconds. */
export async function measurePairs({
  direct,
  through,
  pairs,
  ...call
}: PairedOptions): Promise<readonly number[]> {
  const open = {
    direct: new Pool(direct.origin, { connections: 1 }),
    through: new Pool(through.origin, { connections: 1 }),
  }
  const ask = {
    direct: () => timeToMarker(open.direct, { ...call, headers: direct.headers }),
    through: () => timeToMarker(open.through, { ...call, headers: through.headers }),
  }
  const differences: number[] = []
  for (let pair = -WARM_UP_PAIRS; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? 'direct' : 'through'
    const second = first === 'direct' ? 'through' : 'direct'
    const times = { [first]: await ask[first](), [second]: await ask[second]() }
    if (pair >= 0) differences.push((times['through'] ?? Number.NaN) - (times['direct'] ?? Number.NaN))
  }
  await Promise.all([open.direct.destroy(), open.through.destroy()])
  return differences
}

export function summarizePairs(differences: readonly number[]): Added {
  const sorted = differences.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { medianMs: at(0.5), quartilesMs: [at(0.25), at(0.75)] }
}

interface Call {
  readonly path: string
  readonly body: Buffer
  readonly marker?: string
  readonly headers: Readonly<Record<string, string>>
}

/** Milliseconds from a call to the marker in its answer. Rejects where the status is not 200. */
export function timeToMarker(pool: Pool, { path, body, headers, marker }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let firstAt: number | undefined
    let status = 0
    pool.dispatch(
      { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, code) {
          status = code
        },
        onResponseData(_controller, chunk) {
          if (marker === undefined || chunk.includes(marker)) firstAt ??= performance.now()
        },
        onResponseEnd() {
          if (status === 200 && firstAt !== undefined) resolve(firstAt - startedAt)
          else reject(new Error(`status ${status}`))
        },
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
