export const overviewMessages = {
  'overview.requests': 'Requests',
  'overview.spend': 'Spend',
  'overview.failed': 'Failed attempts',
} as const
