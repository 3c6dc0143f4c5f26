import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const key = createFakeGoogle(() => 0).keyFile('https://oauth2.example/token')

function vertex(name: string, file: string) {
  const credentials = { project: 'some-project', service_account_file: file }
  return { name, provider: 'vertex', models: [name], credentials }
}

it('a channel of the admin API names files of this gateway alone, and learns of no other', async () => {
  const folder = makeTemporaryFolder()
  const elsewhere = makeTemporaryFolder()
  mkdirSync(join(folder, 'keys'))
  for (const place of [folder, join(folder, 'keys'), elsewhere]) writeFileSync(join(place, 'key.json'), key)
  writeFileSync(join(elsewhere, 'other.json'), key)
  const named = join(elsewhere, 'key.json')
  await using gateway = await startGateway(`channels: [${JSON.stringify(vertex('file', named))}]\n`, folder)
  const admin = createAskAdmin(gateway.url)
  const make = (name: string, file: string) =>
    admin('POST', '/channels', { body: vertex(name, file) }).then(({ status, body }) => ({ status, body }))

  for (const [index, file] of ['keys/key.json', join(folder, 'key.json'), named].entries())
    expect(await make(`good-${index}`, file)).toMatchObject({ status: 201 })
  const refused = []
  for (const file of ['/etc/passwd', '/etc/nope', join(elsewhere, 'other.json'), '../x', `${folder}-not/x`])
    refused.push(JSON.stringify(await make('bad', file)).replaceAll(/hgr?_?[0-9a-zA-Z-]{16,}|req_\w+/g, 'id'))
  expect(refused[0]).toContain('may name files below the folder of the configuration file')
  expect(new Set(refused).size).toBe(1)
  expect(await make('gone', 'keys/gone.json')).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('there is no file') } },
  })
  writeFileSync(join(folder, 'keys', 'broken.json'), '{}')
  expect(await make('broken', 'keys/broken.json')).toMatchObject({
    status: 400,
    body: { error: { param: 'credentials.service_account_file' } },
  })
})
