import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, openApp } from '../../src/app/app.ts'
import type { ConsoleBuild } from '../../src/app/console-build.ts'
import { probeServer } from '../../src/config/discovery/probe-server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Environment } from '../../src/config/source/environment.ts'
import type { Clock } from '../../src/kit/time/clock.ts'
import { providerRegistry } from '../../src/providers/registry.ts'

export const testKey = 'sk-test-0123456789abcdef'
export const testAdminToken = 'admin-token-0123456789abcdef'

/** Parts of the product that a test replaces, besides the environment. */
interface GatewayParts {
  readonly clock?: Clock
  readonly consoleBuild?: ConsoleBuild
}

export interface StartedGateway extends AsyncDisposable {
  readonly app: App
  /** The address, without a slash at its end. */
  readonly url: string
  readonly dataFolder: string
}

/**
 * Starts the whole product on a free port, from configuration text as an operator would write it. `listen`, `data`,
 * a key and a quiet log are added. A folder that is given is used as it is and stays.
 */
export async function startGateway(
  yaml: string,
  givenFolder?: string,
  { clock, consoleBuild, ...environment }: Partial<Environment> & GatewayParts = {},
): Promise<StartedGateway> {
  const folder = givenFolder ?? mkdtempSync(join(tmpdir(), 'headgate-test-'))
  const file = join(folder, 'headgate.yaml')
  const hasKeys = /^keys:/m.test(yaml)
  writeFileSync(
    file,
    [
      'listen: 127.0.0.1:0',
      `data: ${join(folder, 'data')}`,
      ...(/^log:/m.test(yaml) ? [] : ['log: { level: silent }']),
      ...(hasKeys ? [] : [`keys: [{ name: test, secret: ${testKey}, models: ["*"] }]`]),
      yaml,
    ].join('\n'),
  )
  const config = await loadConfig({
    flags: { config: file },
    environment: {
      configPath: undefined,
      listen: undefined,
      dataFolder: undefined,
      databaseUrl: undefined,
      secret: undefined,
      adminToken: testAdminToken,
      isRunByNpm: false,
      variables: {},
      ...environment,
    },
    workingFolder: folder,
    registry: providerRegistry,
    probe: probeServer,
  })
  const app = await openApp({
    config,
    version: '0.0.0-test',
    printError: () => undefined,
    ...(clock === undefined ? {} : { clock }),
    ...(consoleBuild === undefined ? {} : { consoleBuild }),
  })
  return {
    app,
    url: app.url,
    dataFolder: config.dataFolder,
    async [Symbol.asyncDispose]() {
      await app.close(0)
      if (givenFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
