import { z } from 'zod'
import { GatewayError } from '../canonical/failure.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { AdminRequest, AdminRoute } from './admin-route.ts'
import type { AuditStore } from './audit/audit-store.ts'
import { readActor } from './read-actor.ts'

/**
 * Creates a backup as a stream of bytes. Its resources are freed when the stream is read to its end or abandoned.
 * Undefined if the databases are in PostgreSQL.
 */
export type CreateBackup = () => Promise<AsyncGenerator<Buffer, void, undefined>>

export interface BackupRouteOptions {
  readonly clock: Clock
  readonly audit: Pick<AuditStore, 'append'>
}

/** A copy of the databases in the data folder. Secrets never leave through the admin API. The command adds its own. */
export function createBackupRoutes(
  createBackup: CreateBackup | undefined,
  { clock, audit }: BackupRouteOptions,
): readonly AdminRoute[] {
  const createAlone = oneAtATime(async (request) => {
    if (createBackup === undefined) throw new GatewayError('not_with_postgres')
    const details = ['databases, without secrets']
    const done = { action: 'backup.create', subject: '', details, atMs: clock.nowMs() } as const
    await audit.append({ ...readActor(request), ...done })
    return createBackup()
  })
  return [
    {
      method: 'POST',
      policy: { access: 'owner', scope: 'backup:read', fresh: true },
      path: '/admin/v1/backup',
      summary:
        'Copy the databases and the price table, without the secret files beside them, as one tar archive',
      answer: {
        status: 200,
        contentType: 'application/x-tar',
        schema: z.string().meta({ description: 'The archive; its last file is manifest.json.' }),
      },
      errors: ['backup_in_progress', 'not_with_postgres'],
      async handler(request) {
        const headers = { 'content-type': 'application/x-tar' }
        return { status: 200, headers, body: {}, download: await createAlone(request) }
      },
    },
  ]
}

/** Refuses another backup until the previous stream is read to its end or abandoned. */
function oneAtATime(create: (request: AdminRequest) => ReturnType<CreateBackup>): typeof create {
  let isRunning = false
  async function* release(bytes: AsyncGenerator<Buffer, void, undefined>) {
    try {
      yield* bytes
    } finally {
      isRunning = false
    }
  }
  return async (request) => {
    if (isRunning) throw new GatewayError('backup_in_progress')
    isRunning = true
    try {
      return release(await create(request))
    } catch (error) {
      isRunning = false
      throw error
    }
  }
}
