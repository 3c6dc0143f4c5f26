// Headgate as a later version: with as many more steps of its tables as the file says that UPGRADES_FILE names. Suites
// of upgrades start it in place of `bin/headgate.js`.
import { readFileSync } from 'node:fs'
import { main } from '../../src/cli/main.ts'
import { postgresMigrations } from '../../src/storage/postgres/postgres-migrations.ts'
import { migrations } from '../../src/storage/sqlite/migrations.ts'

const upgrades = Number(readFileSync(String(process.env['UPGRADES_FILE']), 'utf8'))
const known = postgresMigrations.length

/** Each third one makes a table, adds a column to one that requests read, or an index to one that they write. */
function statementOf(upgrade: number): string {
  switch (upgrade % 3) {
    case 0:
      return `create index upgrade_${upgrade} on ledger_rows (request_id)`
    case 1:
      return `alter table keys add column upgrade_${upgrade} text not null default ''`
    default:
      return `create table upgrade_${upgrade} (id integer primary key)`
  }
}

for (let upgrade = 1; upgrade <= upgrades; upgrade += 1) {
  const name = `upgrade ${upgrade}`
  // Nodes of the version before go on meanwhile.
  const step = { name, statements: [statementOf(upgrade)], knownBy: known + upgrade - 1 }
  Array.prototype.push.call(postgresMigrations, step)
  const ofFile = upgrade % 3 === 0 ? `create index upgrade_${upgrade} on keys (hint)` : statementOf(upgrade)
  Array.prototype.push.call(migrations, { name, statements: [ofFile] })
}
await main(process.argv)
