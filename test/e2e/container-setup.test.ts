import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type StartedGateway, startGateway, testAdminToken } from '../support/start-gateway.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const configuration = read('deploy/etc/headgate.yaml')

const composeSchema = z.object({
  services: z.object({
    headgate: z.object({ ports: z.array(z.string()), volumes: z.array(z.string()) }),
  }),
})

/** The gateway of the compose file, on ports of the machine's choice. */
function startContainer(): Promise<StartedGateway> {
  return startGateway(configuration.replace('0.0.0.0:8081', '0.0.0.0:0'))
}

async function statusOf({ app }: StartedGateway, path: string, headers: Readonly<Record<string, string>>) {
  const port = app.adminAddress?.port
  return new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      text(response).then(() => resolve(response.statusCode), reject)
    })
    sent.on('error', reject).end()
  })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('the compose file publishes both listeners on its own machine alone, with its configuration file', () => {
  const { ports, volumes } = composeSchema.parse(parse(read('deploy/compose.yaml'))).services.headgate
  expect(ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8081'])
  expect(volumes).toContain('./etc:/etc/headgate:ro')
  expect(parse(configuration)).toMatchObject({ admin: { listen: '0.0.0.0:8081', metrics: 'token' } })
  expect(read('docs/operating.md')).toContain('admin: { listen: 0.0.0.0:8081, metrics: token }')
})

it('the admin listener of the compose file shows nothing without a credential, and accepts the name localhost', async () => {
  needsOneFolder('nodes have their metrics token in the environment')
  await using gateway = await startContainer()
  const metricsToken = readFileSync(join(gateway.dataFolder, 'metrics-token'), 'utf8').trim()
  const local = { host: 'localhost:8081' }
  expect(await statusOf(gateway, '/metrics', local)).toBe(401)
  expect(await statusOf(gateway, '/metrics', { ...local, ...bearer(metricsToken) })).toBe(200)
  expect(await statusOf(gateway, '/admin/v1/keys', local)).toBe(401)
  expect(await statusOf(gateway, '/admin/v1/keys', { ...local, ...bearer(metricsToken) })).toBe(401)
  expect(await statusOf(gateway, '/admin/v1/keys', { ...local, ...bearer(testAdminToken) })).toBe(200)
  expect(await statusOf(gateway, '/v1/models', local)).toBe(404)
})

it('the admin listener of the compose file accepts the name of the service only if admin.hosts has it', async () => {
  const asked = { host: 'headgate:8081', ...bearer(testAdminToken) }
  await using without = await startContainer()
  expect(await statusOf(without, '/admin/v1/keys', asked)).toBe(421)
  const named = configuration.replace('0.0.0.0:8081,', '0.0.0.0:0, hosts: [headgate],')
  await using gateway = await startGateway(named)
  expect(await statusOf(gateway, '/admin/v1/keys', asked)).toBe(200)
})

it('the compose file serves callers at once, by the demo provider', async () => {
  await using gateway = await startContainer()
  expect(gateway.app.catalog.current().models.map(({ name }) => name)).toContain('demo-chat')
  expect(gateway.app.firstOwner).toBeDefined()
})

it('the image is built only from files in the build context', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  const given = [...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path)
  expect(copied.length).toBeGreaterThan(8)
  expect(
    copied.filter((path) => !given.some((each) => path === each || path.startsWith(`${each}/`))),
  ).toEqual([])
})
