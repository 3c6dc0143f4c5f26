// 100,000 requests of every operation, each good once and then spoilt at random (body, headers, path, method), to
// channels of both formats: every one must get an answer below 500, the process must live with flat memory, and a good
// request must still be served.
import { connect } from 'node:net'
import { createMutator, type MutatedRequest } from './create-mutator.ts'
import { createMemoryLog } from './memory-log.ts'
import { leaveAsIs, openAnsweringUpstream } from './open-answering-upstream.ts'
import { openMutationGateway } from './open-mutation-gateway.ts'
import { rawStreamRequest } from './open-subjects.ts'

const REQUESTS = Number(process.env['MUTATED_REQUESTS'] ?? 100_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const AT_ONCE = 16
const PATIENCE_MS = 5_000

const upstream = await openAnsweringUpstream(leaveAsIs)
const gateway = await openMutationGateway(upstream.origin)
const mutate = createMutator(SEED)
const memory = createMemoryLog(gateway.pid, REQUESTS)
const statuses = new Map<string, number>()
const wrong: string[] = []
try {
  let left = REQUESTS
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1
        record(await send(mutate(), gateway.port))
        await memory.count()
      }
    }),
  )
  const good = await send(
    { bytes: Buffer.from(rawStreamRequest('m-chat')), mayGoUnanswered: false },
    gateway.port,
  )
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`)
  process.stdout.write(
    `mutated requests: ${REQUESTS} (seed ${SEED}): ${counts.join(', ')}; wrong ${wrong.length}; a good one afterwards: ${good.status}; ${memory.describe()}\n`,
  )
  for (const example of wrong.slice(0, 5)) process.stdout.write(`  ${example}\n`)
  if (wrong.length > 0 || good.status !== '200' || !memory.isFlat) process.exitCode = 1
} finally {
  await gateway.close()
  await upstream.close()
}

interface Answer {
  readonly request: MutatedRequest
  readonly status: string
}

function record({ request, status }: Answer): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const isWrong =
    status.startsWith('5') || status === 'hang' || (status === 'none' && !request.mayGoUnanswered)
  if (isWrong) wrong.push(`${status}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 1_500))}`)
}

function send(request: MutatedRequest, port: number): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let head = ''
    const finish = (status: string) => {
      clearTimeout(patience)
      socket.destroy()
      resolve({ request, status })
    }
    const patience = setTimeout(() => finish('hang'), PATIENCE_MS)
    socket.on('error', () => finish(statusOf(head)))
    socket.on('close', () => finish(statusOf(head)))
    socket.on('data', (chunk) => {
      if (head.length < 256) head += chunk.toString('latin1').replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      if (head.length >= 12) finish(statusOf(head))
    })
    socket.write(request.bytes)
  })
}

function statusOf(head: string): string {
  return /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 'none'
}
