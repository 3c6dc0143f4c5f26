import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listParts } from './list-parts.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { until } from './until.ts'

export const workerKey = 'sk-test-0123456789abcdef'

export interface StartedWorkers extends StartedProcess {
  readonly adminToken: string
  /** Asks the admin API, and answers with the body of a good answer. */
  admin(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** The processes of a part that are alive now. */
  pids(part: 'owner' | 'worker'): readonly number[]
  /** Replaces all processes, as `systemctl reload` does; fulfilled once the new ones serve. */
  restart(): Promise<void>
}

/** Starts `headgate serve --workers` with real processes. */
export async function startWorkers(yaml: string, workers = 2): Promise<StartedWorkers> {
  const started = await startProcess(
    `workers: ${workers}\nlog: { level: silent }\nkeys: [{ name: test, secret: ${workerKey}, models: ["*"] }]\n${yaml}`,
    {},
    { startsWithinMs: 120_000 },
  )
  const adminToken = readFileSync(join(started.folder, 'data', 'admin-token'), 'utf8').trim()
  let restarts = 0
  return {
    ...started,
    adminToken,
    async admin(method, path, body) {
      const answer = await fetch(`${started.url}/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          'content-type': 'application/json',
          // A connection that is kept open keeps a replaced worker for as long.
          connection: 'close',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text) as Record<string, unknown>
    },
    pids: (part) => listParts(started.child.pid ?? 0).flatMap((one) => (one.part === part ? [one.pid] : [])),
    async restart() {
      restarts += 1
      started.child.kill('SIGHUP')
      await until(
        'all processes are replaced',
        () => started.errors().split('headgate: restarted: ').length > restarts,
        { deadlineMs: 120_000 },
      )
    },
  }
}
