import type { Catalogue } from '../en/messages.ts'
import { chineseAccountMessages } from './account.ts'
import { chineseCommonMessages } from './common.ts'
import { chineseErrorMessages } from './errors.ts'
import { chineseKeyMessages } from './keys.ts'
import { chineseLimitMessages } from './limits.ts'
import { chineseOverviewMessages } from './overview.ts'
import { chineseRequestMessages } from './requests.ts'
import { chineseShellMessages } from './shell.ts'

export const chineseMessages: Catalogue = {
  ...chineseAccountMessages,
  ...chineseCommonMessages,
  ...chineseErrorMessages,
  ...chineseOverviewMessages,
  ...chineseKeyMessages,
  ...chineseLimitMessages,
  ...chineseRequestMessages,
  ...chineseShellMessages,
}
