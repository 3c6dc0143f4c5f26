import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../support/start-gateway.ts'
import { openMigration } from './open-migration.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

async function createDatabase(encoding: string): Promise<string> {
  const { server, url } = shared.current
  const name = `in_${encoding.toLowerCase()}`
  await server.query(url, `create database ${name} encoding '${encoding}' template template0 locale 'C'`)
  return new URL(`/${name}`, url).href
}

test.each(['LATIN1', 'SQL_ASCII'])(
  'a database of the encoding %s is refused, since it cannot hold every name that callers send',
  async (encoding) => {
    const url = await createDatabase(encoding)
    const refusal = { code: 'database_encoding', message: expect.stringContaining(encoding) }
    const folder = mkdtempSync(join(tmpdir(), 'headgate-node-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const node = startGateway('', folder, { databaseUrl: url, secret: 'node-secret-0123456789abcdef' })
    await expect(node).rejects.toMatchObject(refusal)
    const scene = await openMigration()
    await (await scene.serve())[Symbol.asyncDispose]()
    for (const step of ['plan', 'history', 'finish'] as const)
      await expect(scene.migrate(url, { step })).rejects.toMatchObject(refusal)
  },
)
