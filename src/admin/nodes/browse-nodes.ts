import { writeTime } from '../../kit/time/write-time.ts'
import type { NodeDetails } from '../../metering/leases/node-registry.ts'
import type { AdminRoute } from '../admin-route.ts'
import { type NodeList, nodeListSchema } from './node-contract.ts'

/** A node as the answering node sees it. */
export interface SeenNode extends NodeDetails {
  readonly startedAtMs: number
  readonly seenAtMs: number
  /** Whether this is the answering node. */
  readonly isThis: boolean
}

/** The nodes of the installation. */
export interface NodeSource {
  readonly store: NodeList['store']
  /** The oldest first. Fails with `store_unavailable`. */
  list(): Promise<readonly SeenNode[]>
}

/** The route that lists the nodes that serve the installation. */
export function createNodeRoutes(source: NodeSource): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/nodes',
      policy: { access: 'read', scope: 'health:read' },
      summary: 'List the nodes of the installation: version, state, load, and whose configuration differs',
      answer: { status: 200, schema: nodeListSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...viewNodes(source.store, await source.list()) } }),
    },
  ]
}

export function viewNodes(store: NodeList['store'], nodes: readonly SeenNode[]): NodeList {
  const usual = findUsualFile(nodes)
  return {
    store,
    data: nodes.map((node) => ({
      name: node.id,
      version: node.version,
      is_this: node.isThis,
      started_at: writeTime(node.startedAtMs),
      seen_at: writeTime(node.seenAtMs),
      state: node.draining ? 'draining' : node.ready ? 'ready' : 'not-ready',
      streams: node.streams,
      leases: node.leases,
      config_version: node.configVersion ?? null,
      file_fingerprint: node.fileFingerprint,
      file_differs: node.fileFingerprint !== usual,
      clock_ahead_ms: node.clockAheadMs,
    })),
    files_differ: nodes.some(({ fileFingerprint }) => fileFingerprint !== usual),
    config_versions_differ: new Set(nodes.map(({ configVersion }) => configVersion)).size > 1,
  }
}

/** The file that most nodes have. If several files are equally frequent, the file of the oldest of their nodes. */
function findUsualFile(nodes: readonly SeenNode[]): string | undefined {
  const counts = Map.groupBy(nodes, ({ fileFingerprint }) => fileFingerprint)
  let usual: string | undefined
  for (const [file, having] of counts)
    if (having.length > (usual === undefined ? 0 : (counts.get(usual)?.length ?? 0))) usual = file
  return usual
}
