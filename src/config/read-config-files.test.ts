import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { certificateFolder, readCertificate, readIdentity } from '../../test/support/certificate.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readEnvironment } from './environment.ts'
import { loadConfig } from './load-config.ts'

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

function load(text: string): Promise<Config> {
  writeFileSync(join(folder, 'etc', 'headgate.yaml'), text)
  return loadConfig({
    flags: { config: 'etc/headgate.yaml' },
    environment: readEnvironment({}),
    workingFolder: folder,
    registry: providerRegistry,
    probe: async () => false,
  })
}

async function errorOf(text: string): Promise<string> {
  try {
    await load(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no error'
}

it('certificate and key are read, their paths counting from the configuration file', async () => {
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
  ['{ cert: first.crt, key: . }', /:1:30: tls\.key: the file cannot be read \(EISDIR\): /],
  ['{ cert: first.crt }', /:1:6: tls\.key: is missing$/],
])('tls: %s is refused where it stands', async (tls, message) => {
  expect(await errorOf(`tls: ${tls}\n${channels} }]`)).toMatch(message)
})

it('the certificates of ca_file come with their channel', async () => {
  const config = await load(`${channels}, ca_file: ca.crt }]`)
  expect(config.channels[0]?.authorities).toEqual({ id: expect.any(String), pem: readCertificate('ca.crt') })
})

it('every file that cannot be used is told at once', async () => {
  const text = `tls: { cert: gone, key: gone }\n${channels}, ca_file: empty }]`
  expect((await errorOf(text)).split('\n').map((line) => line.replace(/: (there|the file).*/, ''))).toEqual([
    'etc/headgate.yaml:1:14: tls.cert',
    'etc/headgate.yaml:1:25: tls.key',
    'etc/headgate.yaml:2:75: channels[0].ca_file',
  ])
})

const vertex = (file: string) =>
  `channels: [{ name: v, provider: vertex, models: [m], credentials: { project: some-project, service_account_file: ${file} } }]`

it('a file that a provider reads itself counts from the configuration file, and must be there', async () => {
  const config = await load(vertex('empty'))
  expect(config.channels[0]?.settings).toEqual({
    project: 'some-project',
    service_account_file: join(folder, 'etc', 'empty'),
  })
  expect(await errorOf(vertex('gone.json'))).toMatch(
    /channels\[0\]\.credentials\.service_account_file: there is no file .*etc\/gone\.json$/,
  )
})
