export const nodeMessages = {
  'nodes.description': 'The processes that serve this installation, and whether all of them serve the same.',
  'nodes.files_differ':
    'Nodes have different configuration files, so they serve different things. Give every node the same file, and reload those that differ.',
  'nodes.versions_differ': 'A change of the configuration is on its way to some of the nodes.',
  'nodes.sqlite':
    'The data folder belongs to one process. With PostgreSQL any number of nodes serve one installation.',
  'nodes.name': 'Node',
  'nodes.this': 'this one',
  'nodes.state': 'State',
  'nodes.state.ready': 'Ready',
  'nodes.state.draining': 'Draining',
  'nodes.state.not-ready': 'Not ready',
  'nodes.streams': 'In progress',
  'nodes.config': 'Configuration',
  'nodes.file': 'File',
  'nodes.file.differs': 'Differs',
  'nodes.version': 'Version',
  'nodes.started': 'Started',
  'nodes.seen': 'Last seen',
} as const
