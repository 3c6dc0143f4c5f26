// Callers leave in the middle of uploads, and many large ones come at once: what is left of files, and the memory.
// UPLOADS is the number of those that are left (default 2000), LARGE that of large ones at once (default 50), and
// LARGE_MB their size (default 100).
import { readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startGateway, testKey } from '../support/start-gateway.ts'

const UPLOADS = Number(process.env['UPLOADS'] ?? 2_000)
const LARGE = Number(process.env['LARGE'] ?? 50)
const LARGE_BYTES = Number(process.env['LARGE_MB'] ?? 100) * 1024 * 1024
const AT_ONCE = 25
/** What an upload writes before its caller leaves: more than stays in memory. */
const LEFT_AFTER_BYTES = 256 * 1024
/** The most that the memory of the process may grow while the large ones come. */
const MAX_GROWTH_BYTES = 512 * 1024 * 1024

/** An upstream that reads bodies and keeps nothing of them. */
const upstream = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"text":"Hello."}')
  })
})
await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
const { port } = upstream.address() as AddressInfo

const gateway = await startGateway(
  [
    `channels: [{ name: c, provider: openai-compatible, base_url: "http://127.0.0.1:${port}", allow_private: true, models: [m] }]`,
    'limits: { upload: 128MB, upload_memory: 64KB, held_uploads: 16GB, held_uploads_per_key: 16GB }',
    '',
  ].join('\n'),
)
const uploads = join(gateway.dataFolder, 'uploads')
const address = new URL(gateway.url)
const chunk = Buffer.alloc(64 * 1024, 7)
const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const tail = '\r\n--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n'

try {
  for (let done = 0; done < UPLOADS; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => leave((done + index) % 4)))
  const left = await settle()
  say(`${UPLOADS} aborted uploads: ${left.names} files left in the folder, ${left.open} left open`)
  const before = process.memoryUsage().rss
  const grownBytes: number[] = []
  const meter = setInterval(() => grownBytes.push(process.memoryUsage().rss - before), 50)
  const startedAtMs = performance.now()
  const statuses = await Promise.all(Array.from({ length: LARGE }, () => upload(LARGE_BYTES)))
  clearInterval(meter)
  const good = statuses.filter((status) => status === 200).length
  const grown = Math.max(...grownBytes)
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  const quarters = [0, 1, 2, 3].map((at) => {
    const [start, end] = [at, at + 1].map((quarter) => Math.floor((quarter * grownBytes.length) / 4))
    return megabytes(Math.max(...grownBytes.slice(start, end)))
  })
  say(
    `${LARGE} uploads of ${megabytes(LARGE_BYTES)} MB at once: ${good} answered, ${megabytes(grown)} MB more memory at the most (${quarters.join(', ')} by quarters of the time), ${Math.round((performance.now() - startedAtMs) / 1000)} s`,
  )
  const after = await settle()
  say(`afterwards: ${after.names} files left in the folder, ${after.open} left open`)
  const isClean = left.names + left.open + after.names + after.open === 0
  if (!isClean || good !== LARGE || grown > MAX_GROWTH_BYTES) process.exitCode = 1
} finally {
  await gateway[Symbol.asyncDispose]()
  upstream.closeAllConnections()
  upstream.close()
}

function headersOf(bytes: number): string {
  return [
    'POST /v1/audio/transcriptions HTTP/1.1',
    `host: ${address.host}`,
    `authorization: Bearer ${testKey}`,
    'content-type: multipart/form-data; boundary=b',
    `content-length: ${bytes}`,
    '',
    '',
  ].join('\r\n')
}

/** Leaves in one of four moments: within the head of the form, early, late in the file, or once all is sent. */
function leave(moment: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(address.port), address.hostname)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve())
    const bytes = [0, 4 * 1024, LEFT_AFTER_BYTES, LEFT_AFTER_BYTES][moment] ?? 0
    const whole = head.length + LEFT_AFTER_BYTES + tail.length
    socket.write(headersOf(whole))
    socket.write(moment === 0 ? head.slice(0, 20) : head)
    for (let sent = 0; sent < bytes; sent += chunk.length) socket.write(chunk.subarray(0, bytes - sent))
    socket.write(moment === 3 ? tail : '', () => setTimeout(() => socket.resetAndDestroy(), 5))
  })
}

/** Sends a whole upload, and gives the status of its answer. */
function upload(bytes: number): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(address.port), address.hostname)
    let answer = ''
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)))
    socket.on('data', (part) => {
      answer += part.toString('latin1')
      socket.end()
    })
    socket.write(headersOf(head.length + bytes + tail.length))
    socket.write(head)
    let sent = 0
    const pump = () => {
      while (sent < bytes) {
        const part = chunk.subarray(0, bytes - sent)
        sent += part.length
        if (!socket.write(part)) return
      }
      if (sent >= bytes) {
        socket.off('drain', pump)
        socket.write(tail)
      }
    }
    socket.on('drain', pump)
    pump()
  })
}

/** What is left of uploads, once nothing changes any more. */
async function settle(): Promise<{ readonly names: number; readonly open: number }> {
  for (let waited = 0; waited < 10_000 && openFiles() > 0; waited += 50) await wait(50)
  return { names: readdirSync(uploads).length, open: openFiles() }
}

function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(uploads)
    } catch {
      // The descriptor by which the folder itself was read.
      return false
    }
  }).length
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
