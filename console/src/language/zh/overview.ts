import type { Translated } from '../en/messages.ts'
import type { overviewMessages } from '../en/overview.ts'

export const chineseOverviewMessages: Translated<typeof overviewMessages> = {
  'overview.requests': '请求',
  'overview.spend': '花费',
  'overview.failed': '失败的尝试',
}
