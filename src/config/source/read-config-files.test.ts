import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { certificateFolder, readCertificate, readIdentity } from '../../../test/support/certificate.ts'
import { createFakeGoogle } from '../../../test/support/fake-google.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { loadConfig } from '../load-config.ts'
import { readEnvironment } from './environment.ts'
import type { Variables } from './substitute-variables.ts'

let folder = ''
beforeEach(() => {
  folder = makeTemporaryFolder()
  mkdirSync(join(folder, 'etc'))
  for (const name of ['first.crt', 'first.key', 'second.key', 'ca.crt']) {
    copyFileSync(join(certificateFolder, name), join(folder, 'etc', name))
  }
  writeFileSync(join(folder, 'etc', 'empty'), '')
})

const channels = 'channels: [{ name: a, provider: openai, api_key: k, models: [m]'

function load(text: string, variables: Variables = {}): Promise<Config> {
  writeFileSync(join(folder, 'etc', 'headgate.yaml'), text)
  return loadConfig({
    flags: { config: 'etc/headgate.yaml' },
    environment: readEnvironment(variables),
    workingFolder: folder,
    registry: providerRegistry,
    probe: async () => false,
  })
}

async function errorOf(text: string, variables: Variables = {}): Promise<string> {
  try {
    await load(text, variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no error'
}

it('the certificate and key are read relative to the configuration file', async () => {
  const config = await load(
    `tls: { cert: first.crt, key: ${join(folder, 'etc', 'first.key')} }\n${channels} }]`,
  )
  expect(config.tls).toEqual(readIdentity('first'))
})

it.each([
  [
    '{ cert: gone.crt, key: first.key }',
    /^etc\/headgate\.yaml:1:14: tls\.cert: there is no file .*etc\/gone\.crt$/,
  ],
  ['{ cert: empty, key: first.key }', /:1:14: tls\.cert: the file holds no certificate in PEM/],
  ['{ cert: first.crt, key: empty }', /:1:30: tls\.key: the file holds no private key in PEM$/],
  ['{ cert: first.crt, key: second.key }', /:1:30: tls\.key: the private key is not that of the certificate/],
  ['{ cert: first.crt, key: . }', /:1:30: tls\.key: this is a folder, name the file in it: .*etc$/],
  ['{ cert: first.crt }', /:1:6: tls\.key: is missing$/],
])('tls: %s is refused with its place in the file', async (tls, message) => {
  expect(await errorOf(`tls: ${tls}\n${channels} }]`)).toMatch(message)
})

it('the certificates of ca_file are loaded with their channel', async () => {
  const config = await load(`${channels}, ca_file: ca.crt }]`)
  expect(config.channels[0]?.authorities).toEqual({ id: expect.any(String), pem: readCertificate('ca.crt') })
})

it('all unusable files are reported at once', async () => {
  const text = `tls: { cert: gone, key: gone }\n${channels}, ca_file: empty }]`
  expect((await errorOf(text)).split('\n').map((line) => line.replace(/: (there|the file).*/, ''))).toEqual([
    'etc/headgate.yaml:1:14: tls.cert',
    'etc/headgate.yaml:1:25: tls.key',
    'etc/headgate.yaml:2:75: channels[0].ca_file',
  ])
})

const vertex = (file: string) =>
  `channels: [{ name: v, provider: vertex, models: [m], credentials: { project: some-project, service_account_file: ${file} } }]`

it('a credentials file of a provider is resolved relative to the configuration file and must exist', async () => {
  writeFileSync(join(folder, 'etc', 'key.json'), key())
  const config = await load(vertex('key.json'))
  expect(config.channels[0]?.settings).toEqual({
    project: 'some-project',
    service_account_file: join(folder, 'etc', 'key.json'),
  })
  expect(await errorOf(vertex('gone.json'))).toMatch(
    /channels\[0\]\.credentials\.service_account_file: there is no file .*etc\/gone\.json$/,
  )
})

const google = createFakeGoogle(() => 0)

function key(changes: object = {}): string {
  return JSON.stringify({ ...JSON.parse(google.keyFile('https://oauth2.example/token')), ...changes })
}

it.each([
  ['not JSON', '{', /is not JSON\.$/],
  ['no object', '[]', /holds no credentials of Google\.$/],
  ['of a type that is not known', key({ type: 'external_account' }), /are of the type "external_account"/],
  ['without a key', key({ private_key: undefined }), /have no "private_key"\.$/],
  [
    'with a broken key',
    key({ private_key: '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----' }),
    /it is no RSA key in PEM \(PKCS 8\)\.$/,
  ],
  [
    'with an address that is none',
    key({ token_uri: 'nowhere' }),
    /"token_uri" of the credentials in .* is no address\.$/,
  ],
])('Google credentials %s are refused at the setting that names the file', async (_what, text, message) => {
  writeFileSync(join(folder, 'etc', 'key.json'), text)
  const error = await errorOf(vertex('key.json'))
  expect(error).toMatch(/^etc\/headgate\.yaml:1:\d+: channels\[0\]\.credentials\.service_account_file: /)
  expect(error).toMatch(message)
})

it('an AWS profile without keys is refused where the setting names it, unless the channel has its own keys', async () => {
  const file = join(folder, 'etc', 'aws')
  writeFileSync(
    file,
    '[good]\naws_access_key_id = AKIDEXAMPLEEXAMPLE00\naws_secret_access_key = secret\n[sso]\nsso_session = s\n',
  )
  const bedrock = (profile: string, more = '') =>
    `channels: [{ name: b, provider: bedrock, models: [m], credentials: { region: us-east-1, profile: ${profile}${more} } }]`
  const variables = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: join(folder, 'none') }
  expect(await errorOf(bedrock('nope'), variables)).toMatch(
    /^etc\/headgate\.yaml:1:\d+: channels\[0\]\.credentials\.profile: No file of credentials for AWS has the profile "nope"/,
  )
  expect(await errorOf(bedrock('sso'), variables)).toMatch(/gets its keys from another program or a login/)
  expect(await errorOf(bedrock('good'), variables)).toBe('no error')
  const keys = ', access_key_id: AKIDEXAMPLEEXAMPLE00, secret_access_key: secret'
  expect(await errorOf(bedrock('nope', keys), variables)).toBe('no error')
})
