import { get } from 'node:http'
import type { Probe } from './discover-channels.ts'

/** Asks a server over the network. Only plain http is asked: what is looked for runs on this machine. */
export const probeServer: Probe = (url, timeoutMs) =>
  new Promise((resolve) => {
    if (!url.startsWith('http://')) {
      resolve(false)
      return
    }
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs), agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
