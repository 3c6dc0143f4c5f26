import { get } from 'node:http'
import type { Probe } from './discover-channels.ts'

/**
 * Asks a server over the network. Only plain http is asked: what is looked for runs on this machine. A page
 * is no answer of it, since development servers answer any path with one.
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
