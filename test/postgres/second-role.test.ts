import { expect, test } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNode, database } = useNodes()

function asRole(url: string, name: string, password: string): string {
  const address = new URL(url)
  address.username = name
  address.password = password
  return address.href
}

// docs/kubernetes.md replaces the password of the database by these statements.
test('nodes with two database roles, one of which acts as the other, share one database', async () => {
  const { server } = database()
  const url = await server.createDatabase()
  const statements = [
    "create role team login password 'one'",
    `alter database ${new URL(url).pathname.slice(1)} owner to team`,
    "create role team_b login password 'another' in role team",
    'alter role team_b set role team',
  ]
  for (const statement of statements) await server.query(url, statement)
  await using upstream = await openScriptedUpstream(() => ({ status: 404 }))
  const yaml = channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })
  const first = await openNode(yaml, { databaseUrl: asRole(url, 'team', 'one') })
  const second = await openNode(yaml, { databaseUrl: asRole(url, 'team_b', 'another') })
  const made = await fetch(`${second.url}/admin/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'shared', models: ['*'] }),
  })
  const { secret } = (await made.json()) as { readonly secret: string }
  await untilAsync('the other node knows the key', async () => (await callNode(first, secret)).status !== 401)
  const owners = await server.query(
    url,
    "select distinct tableowner from pg_tables where schemaname = 'headgate'",
  )
  expect(owners).toEqual([{ tableowner: 'team' }])
})
