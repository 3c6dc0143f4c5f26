// One of several processes, as ordered by its supervisor.
import type { Config } from '../../config/config.ts'
import { HandedConnections } from '../../server/handed/handed-connections.ts'
import { createLocalSource } from '../../server/handed/local-socket.ts'
import { relayOperators } from '../../server/handed/relay-operators.ts'
import { findOperatorsSocket } from '../../storage/owner/owner-socket.ts'
import type { ListenSetting } from '../listen-error.ts'
import { type OpenFolder, openFolder } from '../nodes/open-folder.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'
import { createProcessBus, type LocalBus } from '../nodes/process-bus.ts'
import { type OwnerFolder, openOwnerFolder } from './open-owner-folder.ts'
import { openWorkerFolder } from './open-worker-folder.ts'
import type { PartOrder } from './part-messages.ts'
import type { MetricsDump, ProcessPart } from './process-part.ts'
import { createSuccession } from './succession.ts'

export interface OpenedPart extends ProcessPart {
  readonly connections: Readonly<Record<ListenSetting, HandedConnections>>
  /** Fulfilled when no other process uses the files of this one. */
  usersGone(): Promise<void>
}

export interface PartOptions {
  /** Ends all work of this process with the files, before another process takes them over. */
  readonly onSuccessor: () => Promise<void>
  readonly collectMetrics: () => Promise<readonly MetricsDump[]>
}

export function openPart(order: PartOrder, config: Config, options: PartOptions): OpenedPart {
  const { part, ports } = order
  const connections = {
    listen: new HandedConnections(ports.listen ?? config.listen.port),
    'admin.listen': new HandedConnections(ports['admin.listen'] ?? 0),
  }
  const isShared = config.admin.type === 'shared'
  const operators = part !== 'node' && isShared ? findOperatorsSocket(config.dataFolder) : undefined
  const bus = createLaterBus()
  const succession = createSuccession(config.dataFolder, {
    supervisor: order.supervisor ?? `process ${process.ppid}`,
    isSupervised: () => process.connected,
  })
  let owned: OwnerFolder | undefined
  return {
    type: part,
    connections,
    bus,
    sources: {
      uploads: order.id,
      portOf: (setting) => connections[setting].port,
      of(setting) {
        if (part === 'node') return connections[setting]
        if (part === 'worker') return setting === 'listen' ? connections.listen : undefined
        if (setting === 'admin.listen') return connections[setting]
        return operators === undefined ? undefined : createLocalSource(operators, connections.listen.port)
      },
    },
    relay: part === 'worker' && operators !== undefined ? relayOperators(operators) : undefined,
    collectMetrics: options.collectMetrics,
    usersGone: () => owned?.usersGone() ?? Promise.resolve(),
    async openFolder(file, version): Promise<OpenFolder> {
      if (part === 'node') return openFolder(file, version, { supervisor: order.supervisor })
      const { id, workers } = order
      if (part === 'owner') {
        const { onSuccessor } = options
        owned = await openOwnerFolder(file, { version, workers, onSuccessor, succession })
      }
      const opened = owned ?? (await openWorkerFolder(file, { version, id, workers }))
      bus.join(opened.bus)
      return opened
    },
  }
}

/** Creates a bus that is connected when the folder is open. Values published before that have no receivers. */
function createLaterBus(): ProcessBus & { join(bus: LocalBus): void } {
  let joined: ProcessBus = createProcessBus(() => undefined)
  return {
    publish: (topic, value) => joined.publish(topic, value),
    on: (topic, handle) => joined.on(topic, handle),
    join(bus) {
      joined = bus
    },
  }
}
