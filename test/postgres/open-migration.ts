import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import {
  type FolderMigration,
  type MigrationOrder,
  migrateFolder,
} from '../../src/app/nodes/migrate-folder.ts'
import { readDatabase } from '../../src/config/database-schema.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken } from '../support/start-gateway.ts'

export const secret = 'folder-secret-0123456789abcdef'
export const spender = 'sk-spender-0123456789abcdef'
const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const message = { role: 'assistant', content: 'Hi.' }
const answer = jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })

/** A folder for gateways that serve the model `m`, each answer of which costs 40,000 nano-dollars. */
export async function openMigration() {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-migrate-'))
  const upstream = await openScriptedUpstream(() => answer)
  onTestFinished(async () => {
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const yaml = `${channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })}
keys:
  - { name: spender, secret: ${spender}, models: ["*"], budgets: [{ limit_usd: 0.001, window: total, mode: exact, at_limit: refuse }] }
models: { m: { price: { input: 0, output: 2 } } }
`
  const dataFolder = join(folder, 'data')
  return {
    dataFolder,
    async serve(databaseUrl?: string): Promise<StartedGateway> {
      const gateway = await startGateway(yaml, folder, { secret, databaseUrl })
      onTestFinished(() => gateway[Symbol.asyncDispose]())
      return gateway
    },
    migrate: (url: string, order: Partial<MigrationOrder> = {}): Promise<FolderMigration> =>
      migrateFolder({
        dataFolder,
        settings: readDatabase(url),
        secret,
        step: 'finish',
        backUp: async () => undefined,
        report: () => undefined,
        ...order,
      }),
  }
}

/** The digests of the databases and secrets of a folder. */
export function digestFiles(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => /\.db$|^pepper$|^admin-token$/.test(name))
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  )
}

/** The backup that a gateway makes, as the command asks for it. */
export async function downloadBackup({ url }: StartedGateway): Promise<AsyncIterable<Uint8Array>> {
  const headers = { authorization: `Bearer ${testAdminToken}` }
  const response = await fetch(`${url}/admin/v1/backup`, { method: 'POST', headers })
  if (response.body === null || !response.ok) throw new Error(`the backup failed: ${response.status}`)
  return Readable.from(response.body)
}
