// Replaces the configuration in force by another one, completely or not at all.
import type { KeyRegistry } from '../access/key-registry.ts'
import type { ConfigTarget } from '../admin/config/live-config.ts'
import type { Config } from '../config/config.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import type { ServerAddress, ServerFile } from '../storage/files/server-file.ts'
import type { OpenCaptures } from './capture/open-captures.ts'
import type { Telemetry } from './monitoring/start-telemetry.ts'
import type { Listeners } from './open-listeners.ts'
import type { Metering } from './open-metering.ts'
import type { RequestPipeline } from './open-pipeline.ts'

export interface ApplyOptions {
  readonly pipeline: Pick<RequestPipeline, 'prepare'>
  readonly listeners: Listeners
  readonly metering: Pick<Metering, 'change'>
  readonly telemetry: Pick<Telemetry, 'change' | 'warn'>
  readonly server: ServerFile
  readonly captures: Pick<OpenCaptures, 'change'>
  readonly registry: Pick<KeyRegistry, 'changeGroups'>
}

export function createApply({
  pipeline,
  registry,
  listeners,
  metering,
  telemetry,
  captures,
  server,
}: ApplyOptions): ConfigTarget['apply'] {
  return async (next, makeDurable) => {
    const prepared = await pipeline.prepare(next)
    let staged: ReturnType<ServerFile['stage']>
    let install: Awaited<ReturnType<typeof makeDurable>>
    try {
      staged = server.stage(describeServer(listeners, next))
      install = await makeDurable()
    } catch (error) {
      prepared.drop()
      staged?.drop()
      throw error
    }
    // The configuration is durable now. The rest happens in one turn of the event loop, and must not fail: an error
    // would tell the client that the previous configuration stays in force.
    install?.()
    registry.changeGroups(next.groups)
    prepared.apply()
    listeners.change(next)
    metering.change(next)
    telemetry.change(next)
    captures.change(next)
    try {
      staged?.commit()
    } catch (error) {
      telemetry.warn(
        `${reasonOf(error)}; until it can be written, commands may not recognise this server by its certificate`,
      )
    }
  }
}

/** The description of a server, through which commands find the server once it serves the configuration. */
export function describeServer({ callers, admin, certificateOf }: Listeners, config: Config): ServerAddress {
  return { pid: process.pid, url: callers.url, adminUrl: admin?.url, certificate: certificateOf(config) }
}
