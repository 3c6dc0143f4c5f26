import type { ServerResponse } from 'node:http'
import { closeWhenStalled } from '../../kit/net/close-when-stalled.ts'

/** A client that takes nothing of what waits for it is gone after once to twice as long. */
const STALLED_MS = 30_000

/**
 * Answers with bytes of which it is not known how many come. Where they end early, so does the connection: what came does
 * not look whole.
 */
export async function sendDownload(
  response: ServerResponse,
  headers: Readonly<Record<string, string>> | undefined,
  bytes: AsyncGenerator<Buffer, void, undefined>,
): Promise<'taken-over'> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve))
  try {
    response.writeHead(200, { 'cache-control': 'no-store', ...headers })
    for await (const chunk of bytes) {
      if (response.destroyed) return 'taken-over'
      if (response.write(chunk)) continue
      closeWhenStalled(response.socket, STALLED_MS)
      await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), gone])
      closeWhenStalled(response.socket, undefined)
    }
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
  return 'taken-over'
}
