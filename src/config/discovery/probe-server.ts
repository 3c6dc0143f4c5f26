import { get } from 'node:http'
import type { Probe } from './discover-channels.ts'

/**
 * Probes a server over the network. Only plain http is used, because the server is on this machine. An HTML page is not
 * accepted, since development servers return a page for any path.
 */
export const probeServer: Probe = (url, timeoutMs) =>
  new Promise((resolve) => {
    if (!url.startsWith('http://')) {
      resolve(false)
      return
    }
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs), agent: false }, (response) => {
      response.resume()
      const type = response.headers['content-type'] ?? ''
      resolve(response.statusCode === 200 && type.includes('json'))
    })
    request.on('error', () => resolve(false))
  })
