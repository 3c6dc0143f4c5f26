import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { certificateFolder } from '../support/certificate.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const key = createFakeGoogle(() => 0).keyFile('https://oauth2.example/token')

function vertex(name: string, file: string) {
  const credentials = { project: 'some-project', service_account_file: file }
  return { name, provider: 'vertex', models: [name], credentials }
}

it('a channel of the admin API can name only files of this gateway, and learns of no other', async () => {
  const folder = makeTemporaryFolder()
  const elsewhere = makeTemporaryFolder()
  mkdirSync(join(folder, 'keys'))
  for (const position of [folder, join(folder, 'keys'), elsewhere])
    writeFileSync(join(position, 'key.json'), key)
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

const authorities = readFileSync(join(certificateFolder, 'ca.crt'))

it('a channel of the admin API can trust only certificate files of this gateway, and learns of no other', async () => {
  const folder = makeTemporaryFolder()
  const elsewhere = makeTemporaryFolder()
  for (const position of [folder, elsewhere]) writeFileSync(join(position, 'ca.crt'), authorities)
  writeFileSync(join(elsewhere, 'other.crt'), authorities)
  const named = join(elsewhere, 'ca.crt')
  const trusting = (name: string, ca_file: string) => ({
    name,
    provider: 'openai',
    api_key: 'sk-0123456789abcdef',
    models: [name],
    ca_file,
  })
  await using gateway = await startGateway(`channels: [${JSON.stringify(trusting('file', named))}]\n`, folder)
  const admin = createAskAdmin(gateway.url)
  const check = async (file: string) => {
    const document = { channels: [trusting('made', file)] }
    return (await admin('POST', '/config/check', { body: { document } })).body
  }

  for (const file of ['ca.crt', join(folder, 'ca.crt'), named])
    expect(await check(file)).toMatchObject({ ok: true })
  const refused = []
  for (const file of ['/etc/passwd', '/etc/nope', '/dev/ptmx', join(elsewhere, 'other.crt'), '../x'])
    refused.push(JSON.stringify(await check(file)))
  expect(refused[0]).toContain('may name files below the folder of the configuration file')
  expect(new Set(refused).size).toBe(1)
  expect(await check('gone.crt')).toMatchObject({
    problems: [{ path: 'channels[0].ca_file', message: expect.stringContaining('there is no file') }],
  })
})

it.runIf(process.platform !== 'win32')(
  'a pipe that a channel names as its file does not block the gateway',
  async () => {
    const folder = makeTemporaryFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n', folder)
    const admin = createAskAdmin(gateway.url)
    const channel = { name: 'made', provider: 'openai', api_key: 'sk-0123456789abcdef', ca_file: 'pipe' }
    const check = () => admin('POST', '/config/check', { body: { document: { channels: [channel] } } })
    // One more than there are threads to read with.
    const answers = await Promise.all(Array.from({ length: 5 }, check))
    for (const { body } of answers)
      expect(body).toMatchObject({
        problems: [{ message: expect.stringContaining('only a regular file is read') }],
      })
  },
)
