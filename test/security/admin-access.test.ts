import { readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

interface Asked {
  readonly host?: string
  readonly token?: string
}

/** Asks the listener of the operators by a name of the test's choice. */
async function ask({ app }: StartedGateway, path: string, { host = 'localhost', token }: Asked = {}) {
  const { port } = app.adminAddress ?? app.address
  const headers = { host, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    }).on('error', reject)
  })
}

const metricsTokenOf = ({ dataFolder }: StartedGateway) =>
  readFileSync(join(dataFolder, 'metrics-token'), 'utf8').trim()

it.each([
  ['off loopback', 'admin: { listen: "0.0.0.0:0" }\n'],
  ['where the file says so', 'admin: { metrics: token }\n'],
])('the metrics require a token %s: their own or the admin token', async (_where, settings) => {
  await using gateway = await startGateway(settings + demo)
  expect(await ask(gateway, '/metrics')).toMatchObject({
    status: 401,
    body: expect.stringContaining('metrics-token of the data folder'),
  })
  expect((await ask(gateway, '/metrics', { token: testKey })).status).toBe(401)
  const token = metricsTokenOf(gateway)
  expect((await ask(gateway, '/metrics', { token })).body).toContain('headgate_requests_total')
  expect((await ask(gateway, '/metrics', { token: testAdminToken })).status).toBe(200)
  expect((await ask(gateway, '/admin/v1/keys', { token })).status).toBe(401)
})

it('the metrics token is readable only by its owner, and the environment can set another', async () => {
  needsOneFolder('nodes have their metrics token in the environment')
  await using made = await startGateway(demo)
  expect(statSync(join(made.dataFolder, 'metrics-token')).mode & 0o777).toBe(0o600)
  const token = 'metrics-token-0123456789abcdef'
  const settings = 'admin: { listen: "0.0.0.0:0" }\n'
  await using given = await startGateway(settings + demo, undefined, { metricsToken: token })
  expect((await ask(given, '/metrics', { token })).status).toBe(200)
})

it('on loopback the metrics require no token', async () => {
  await using gateway = await startGateway(demo)
  expect((await ask(gateway, '/metrics')).status).toBe(200)
})

it('a rebound host name of a foreign page reads nothing from the admin listener', async () => {
  await using gateway = await startGateway(demo)
  for (const path of ['/metrics', '/admin/v1/proof?nonce=a', '/admin/v1/keys', '/admin/v1/openapi.json']) {
    expect(await ask(gateway, path, { host: 'evil.test', token: testAdminToken })).toMatchObject({
      status: 421,
      body: expect.stringContaining('"code":"unknown_host"'),
    })
  }
  expect((await ask(gateway, '/healthz', { host: 'evil.test' })).status).toBe(200)
})

it('operators reach the admin API by public_url and admin.hosts, and its proof only by loopback names', async () => {
  const settings =
    'public_url: https://models.example.com:8443\nadmin: { listen: "0.0.0.0:0", hosts: [Gateway.Internal] }\n'
  await using gateway = await startGateway(settings + demo)
  for (const host of ['models.example.com', 'gateway.internal:8081', '127.0.0.1', 'localhost:9']) {
    expect((await ask(gateway, '/admin/v1/keys', { host, token: testAdminToken })).status).toBe(200)
  }
  const proof = '/admin/v1/proof?nonce=a'
  expect((await ask(gateway, proof, { host: 'localhost' })).status).toBe(200)
  expect((await ask(gateway, proof, { host: 'models.example.com' })).status).toBe(421)
})
