// Feeds the writers of the request log and of the ledger, as a gateway's own requests do, with 2,000 rows a second each
// for 10 minutes, over SQLite and over PostgreSQL, each in a process of its own. Every fourth attempt has an intent.
// Nothing may be lost, the event loop's delay has its p99 at 10 ms or below, and pages of both are found as fast as
// without the load, give or take a fifth. RATE, SECONDS and STORES (`sqlite,postgres`) by the environment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { startPostgres } from '../support/postgres.ts'

const STORES = (process.env['STORES'] ?? 'sqlite,postgres').split(',')

if (STORES.includes('sqlite')) await measure('')
if (STORES.includes('postgres')) {
  await using server = await startPostgres()
  await measure(await server.createDatabase())
}

async function measure(databaseUrl: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, 'row-rate', 'feed-rows.ts'), databaseUrl],
    {
      stdio: 'inherit',
    },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}
