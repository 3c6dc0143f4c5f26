import type { Translated } from '../en/messages.ts'
import type { nodeMessages } from '../en/nodes.ts'

export const chineseNodeMessages: Translated<typeof nodeMessages> = {
  'nodes.description': '为本系统提供服务的各个进程，以及它们提供的内容是否一致。',
  'nodes.files_differ':
    '各节点的配置文件不一致，因此提供的内容也不同。请让所有节点使用同一份文件，并重新加载有差异的节点。',
  'nodes.versions_differ': '一项配置变更正在同步到部分节点。',
  'nodes.sqlite': '数据目录只属于一个进程。使用 PostgreSQL 时，可由任意数量的节点共同服务。',
  'nodes.name': '节点',
  'nodes.this': '当前',
  'nodes.state': '状态',
  'nodes.state.ready': '就绪',
  'nodes.state.draining': '排空中',
  'nodes.state.not-ready': '未就绪',
  'nodes.streams': '进行中',
  'nodes.config': '配置版本',
  'nodes.file': '文件',
  'nodes.file.differs': '不一致',
  'nodes.version': '版本',
  'nodes.started': '启动',
  'nodes.seen': '最近上报',
}
