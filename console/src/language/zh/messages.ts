import type { Catalogue } from '../en/messages.ts'
import { chineseAccountMessages } from './account.ts'
import { chineseCommonMessages } from './common.ts'
import { chineseErrorMessages } from './errors.ts'
import { chineseOverviewMessages } from './overview.ts'
import { chineseShellMessages } from './shell.ts'

export const chineseMessages: Catalogue = {
  ...chineseAccountMessages,
  ...chineseCommonMessages,
  ...chineseErrorMessages,
  ...chineseOverviewMessages,
  ...chineseShellMessages,
}
