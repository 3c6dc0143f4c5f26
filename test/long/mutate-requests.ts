// 10,000 requests, each good once and then spoilt at random (body, headers, path, method): every one must get an
// answer below 500, the process must live, and a good request must still be served.
import { connect } from 'node:net'
import { residentBytes } from '../../bench/processor-time.ts'
import { createMutator, type MutatedRequest } from './create-mutator.ts'
import { openFloodUpstream } from './flood-upstream.ts'
import { openSubjects, rawStreamRequest } from './open-subjects.ts'

const REQUESTS = Number(process.env['MUTATED_REQUESTS'] ?? 10_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const AT_ONCE = 16
const PATIENCE_MS = 3_000

const upstream = await openFloodUpstream(20_000)
const subjects = await openSubjects(upstream.origin)
const mutate = createMutator(SEED)
const statuses = new Map<string, number>()
const wrong: string[] = []
try {
  const { headgate } = subjects
  const before = residentBytes(headgate.process.pid)
  let left = REQUESTS
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1
        note(await send(mutate(), headgate.port))
      }
    }),
  )
  const good = await send({ bytes: Buffer.from(rawStreamRequest()), mayGoUnanswered: false }, headgate.port)
  const grown = (residentBytes(headgate.process.pid) - before) / 1024 / 1024
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`)
  process.stdout.write(
    `mutated requests: ${REQUESTS} (seed ${SEED}): ${counts.join(', ')}; wrong ${wrong.length}; a good one afterwards: ${good.status}; RSS grew ${grown.toFixed(0)} MB\n`,
  )
  for (const example of wrong.slice(0, 5)) process.stdout.write(`  ${example}\n`)
  if (wrong.length > 0 || good.status !== '200') process.exitCode = 1
} finally {
  await subjects.close()
  await upstream.close()
}

interface Answer {
  readonly request: MutatedRequest
  readonly status: string
}

function note({ request, status }: Answer): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const isWrong =
    status.startsWith('5') || status === 'hang' || (status === 'none' && !request.mayGoUnanswered)
  if (isWrong) wrong.push(`${status}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 400))}`)
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
