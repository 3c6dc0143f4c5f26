import type { Catalogue } from '../en/messages.ts'
import { chineseAccountMessages } from './account.ts'
import { chineseAlertMessages } from './alerts.ts'
import { chineseAuditMessages } from './audit.ts'
import { chineseBudgetMessages } from './budgets.ts'
import { chineseCaptureMessages } from './capture.ts'
import { chineseCertificationMessages } from './certification.ts'
import { chineseChannelMessages } from './channels.ts'
import { chineseCommonMessages } from './common.ts'
import { chineseConnectMessages } from './connect.ts'
import { chineseDraftMessages } from './drafts.ts'
import { chineseErrorMessages } from './errors.ts'
import { chineseGroupMessages } from './groups.ts'
import { chineseHealthMessages } from './health.ts'
import { chineseKeyMessages } from './keys.ts'
import { chineseLimitMessages } from './limits.ts'
import { chineseLossMessages } from './losses.ts'
import { chineseModelMessages } from './models.ts'
import { chineseNodeMessages } from './nodes.ts'
import { chineseOverviewMessages } from './overview.ts'
import { chinesePlaygroundMessages } from './playground.ts'
import { chineseProblemMessages } from './problems.ts'
import { chineseRefusalMessages } from './refusals.ts'
import { chineseRequestMessages } from './requests.ts'
import { chineseSettingFieldMessages } from './setting-fields.ts'
import { chineseSettingsMessages } from './settings.ts'
import { chineseSharedMessages } from './shared.ts'
import { chineseShellMessages } from './shell.ts'
import { chineseSingleSignOnMessages } from './single-sign-on.ts'
import { chineseUsageMessages } from './usage.ts'
import { chineseUserMessages } from './users.ts'

export const chineseMessages: Catalogue = {
  ...chineseAccountMessages,
  ...chineseAuditMessages,
  ...chineseBudgetMessages,
  ...chineseCommonMessages,
  ...chineseDraftMessages,
  ...chineseErrorMessages,
  ...chineseKeyMessages,
  ...chineseLimitMessages,
  ...chineseCertificationMessages,
  ...chineseChannelMessages,
  ...chineseConnectMessages,
  ...chineseAlertMessages,
  ...chineseCaptureMessages,
  ...chineseHealthMessages,
  ...chineseLossMessages,
  ...chineseModelMessages,
  ...chineseNodeMessages,
  ...chineseOverviewMessages,
  ...chinesePlaygroundMessages,
  ...chineseProblemMessages,
  ...chineseRefusalMessages,
  ...chineseRequestMessages,
  ...chineseSettingFieldMessages,
  ...chineseSettingsMessages,
  ...chineseSharedMessages,
  ...chineseShellMessages,
  ...chineseSingleSignOnMessages,
  ...chineseGroupMessages,
  ...chineseUsageMessages,
  ...chineseUserMessages,
}
