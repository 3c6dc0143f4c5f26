import { setTimeout as wait } from 'node:timers/promises'

export interface ReadyNodes extends AsyncDisposable {
  /** Those that get requests, as a balancer reads them for each request. */
  readonly urls: readonly string[]
  /** Asks a node from now on; it gets requests once it says that it is ready. */
  add(url: string): void
  /** A node that is about to end gets nothing more at once, whatever it says. */
  remove(url: string): void
}

const EVERY_MS = 1_000
const WITHIN_MS = 3_000
/** A node that fails one look may only be busy. */
const FAILURES = 2
/** Refuses connections, so that a request for which no node is ready fails. */
const nowhere = 'http://127.0.0.1:1'

/** Nodes by their readiness, as the Services of Kubernetes have them: asked all the time, in after one good answer. */
export function watchReadyNodes(): ReadyNodes {
  const urls = [nowhere]
  const probes = new Map<string, { readonly end: AbortController; readonly ended: Promise<void> }>()
  const put = (url: string, isReady: boolean) => {
    const ready = urls.filter((each) => each !== url && each !== nowhere)
    if (isReady) ready.push(url)
    urls.splice(0, urls.length, ...(ready.length === 0 ? [nowhere] : ready))
  }
  const remove = (url: string) => {
    probes.get(url)?.end.abort()
    put(url, false)
  }
  async function probe(url: string, { signal }: AbortController): Promise<void> {
    let failures = 0
    for (; !signal.aborted; await wait(EVERY_MS, undefined, { signal }).catch(() => undefined)) {
      const isReady = await isReadyNow(url)
      if (signal.aborted) return
      failures = isReady ? 0 : failures + 1
      if (isReady && !urls.includes(url)) put(url, true)
      else if (failures >= FAILURES) put(url, false)
    }
  }
  return {
    urls,
    add(url) {
      const end = new AbortController()
      probes.set(url, { end, ended: probe(url, end) })
    },
    remove,
    async [Symbol.asyncDispose]() {
      for (const url of probes.keys()) remove(url)
      await Promise.all([...probes.values()].map(({ ended }) => ended))
    },
  }
}

async function isReadyNow(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    // It has not started to listen, has ended, or takes too long: it is not ready.
    return false
  }
}
