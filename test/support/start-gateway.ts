import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, openApp } from '../../src/app/app.ts'
import type { ConsoleBuild } from '../../src/app/console-build.ts'
import { probeServer } from '../../src/config/discovery/probe-server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Environment } from '../../src/config/source/environment.ts'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import { providerRegistry } from '../../src/providers/registry.ts'
import { noEnvironment } from './no-environment.ts'
import { recycledThreads } from './recycled-threads.ts'
import { skipRunning } from './topology/running-suite.ts'
import { startProcesses } from './topology/start-processes.ts'
import { topology } from './topology/topology.ts'

export const testKey = 'sk-test-0123456789abcdef'
export const testAdminToken = 'admin-token-0123456789abcdef'

/** Parts of the product that a test replaces, besides the environment. */
interface GatewayParts {
  readonly clock?: Clock
  readonly consoleBuild?: ConsoleBuild
}

export interface StartedGateway extends AsyncDisposable {
  /** The insides of the one process. */
  readonly app: App
  /** The address, without a slash at its end. */
  readonly url: string
  readonly dataFolder: string
  /** The port of a socket that gets each byte as it was sent. */
  readonly port: number
  /** The secret of the link with which a person becomes the first owner; undefined where there is none. */
  readonly firstOwnerSecret: string | undefined
  /** Lets live answers finish within the limit, then ends it in order. */
  close(drainLimitMs: number): Promise<void>
}

/**
 * Starts the whole product on a free port, from configuration text as an operator would write it. `listen`, `data`,
 * a key and a quiet log are added. A folder that is given is used as it is and stays.
 */
export async function startGateway(
  yaml: string,
  givenFolder?: string,
  parts: Partial<Environment> & GatewayParts = {},
): Promise<StartedGateway> {
  const folder = givenFolder ?? mkdtempSync(join(tmpdir(), 'headgate-test-'))
  const hasKeys = /^keys:/m.test(yaml)
  const text = [
    ...(/^log:/m.test(yaml) ? [] : ['log: { level: silent }']),
    ...(hasKeys ? [] : [`keys: [{ name: test, secret: ${testKey}, models: ["*"] }]`]),
    yaml,
  ].join('\n')
  return topology === 'one process'
    ? startInProcess(text, { folder, stays: givenFolder !== undefined }, parts)
    : startInTopology(text, { folder, stays: givenFolder !== undefined }, parts)
}

interface GatewayFolder {
  readonly folder: string
  readonly stays: boolean
}

async function startInProcess(
  text: string,
  { folder, stays }: GatewayFolder,
  { clock, consoleBuild, ...environment }: Partial<Environment> & GatewayParts,
): Promise<StartedGateway> {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, `listen: 127.0.0.1:0\ndata: ${join(folder, 'data')}\n${text}`)
  const config = await loadConfig({
    flags: { config: file },
    environment: { ...noEnvironment, adminToken: testAdminToken, ...environment },
    workingFolder: folder,
    registry: providerRegistry,
    probe: probeServer,
  })
  const app = await openApp({
    config,
    version: '0.0.0-test',
    printError: () => undefined,
    threads: recycledThreads,
    ...(clock === undefined ? {} : { clock }),
    ...(consoleBuild === undefined ? {} : { consoleBuild }),
  })
  return {
    app,
    url: app.url,
    dataFolder: config.dataFolder,
    get port() {
      return app.address.port
    },
    firstOwnerSecret: app.firstOwner?.secret,
    close: (drainLimitMs) => app.close(drainLimitMs),
    async [Symbol.asyncDispose]() {
      await app.close(0)
      if (!stays) rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startInTopology(
  text: string,
  { folder, stays }: GatewayFolder,
  { clock = systemClock, consoleBuild, ...environment }: Partial<Environment> & GatewayParts,
): Promise<StartedGateway> {
  if (topology === 'one process') throw new Error('there is no topology')
  if (clock !== systemClock) skipRunning('its clock is the test’s')
  const started = await startProcesses({
    topology,
    yaml: text,
    folder,
    consoleFolder: consoleBuild?.folder,
    environment: variablesOf(environment),
  })
  let isOpen = true
  const close = async () => {
    if (isOpen) await started.close()
    isOpen = false
  }
  return {
    get app(): App {
      return skipRunning('it looks inside of one process')
    },
    url: started.url,
    dataFolder: join(folder, 'data'),
    get port() {
      if (topology === 'nodes') skipRunning('it sends bytes that the balancer reads first')
      return Number(new URL(started.url).port)
    },
    firstOwnerSecret: started.firstOwnerSecret(),
    close(drainLimitMs) {
      if (drainLimitMs !== 0) skipRunning('it ends one process within a limit of its own')
      return close()
    },
    async [Symbol.asyncDispose]() {
      if (stays) return await close()
      await started.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The environment of a process as `readEnvironment` reads it. */
function variablesOf({
  variables = {},
  adminToken = testAdminToken,
  secret,
  pepper,
  metricsToken,
  ...others
}: Partial<Environment>): Readonly<Record<string, string>> {
  const [other] = Object.keys(others)
  if (other !== undefined) skipRunning(`its environment has ${other}`)
  const named = {
    ...variables,
    HEADGATE_ADMIN_TOKEN: adminToken,
    HEADGATE_SECRET: secret,
    HEADGATE_PEPPER: pepper,
    HEADGATE_METRICS_TOKEN: metricsToken,
  }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}
