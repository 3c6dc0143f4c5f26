import { Pool } from 'undici'

export interface LoadOptions {
  readonly origin: string
  readonly path: string
  readonly key: string
  /** Besides the key and the type of the body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly concurrency: number
  readonly requests: number
}

export interface LoadResult {
  readonly requests: number
  readonly bytes: number
  readonly failures: number
}

/** Sends a fixed number of requests, a fixed number at a time, and reads every answer to its end. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(options.origin, { connections: options.concurrency, pipelining: 1 })
  let left = options.requests
  let bytes = 0
  let failures = 0
  async function work(): Promise<void> {
    while (left > 0) {
      left -= 1
      const outcome = await send(pool, options)
      bytes += outcome.bytes
      if (!outcome.isGood) failures += 1
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  await pool.destroy()
  return { requests: options.requests, bytes, failures }
}

function send(
  pool: Pool,
  { path, key, headers, body }: LoadOptions,
): Promise<{ bytes: number; isGood: boolean }> {
  return new Promise((resolve) => {
    let bytes = 0
    let status = 0
    pool.dispatch(
      {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
        body,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, code) {
          status = code
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length
        },
        onResponseEnd: () => resolve({ bytes, isGood: status === 200 }),
        onResponseError: () => resolve({ bytes, isGood: false }),
      },
    )
  })
}
