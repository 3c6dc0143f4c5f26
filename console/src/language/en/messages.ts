import type { Message } from '../message.ts'
import { accountMessages } from './account.ts'
import { alertMessages } from './alerts.ts'
import { auditMessages } from './audit.ts'
import { budgetMessages } from './budgets.ts'
import { captureMessages } from './capture.ts'
import { certificationMessages } from './certification.ts'
import { channelMessages } from './channels.ts'
import { commonMessages } from './common.ts'
import { connectMessages } from './connect.ts'
import { draftMessages } from './drafts.ts'
import { errorMessages } from './errors.ts'
import { groupMessages } from './groups.ts'
import { healthMessages } from './health.ts'
import { keyMessages } from './keys.ts'
import { limitMessages } from './limits.ts'
import { lossMessages } from './losses.ts'
import { modelMessages } from './models.ts'
import { nodeMessages } from './nodes.ts'
import { overviewMessages } from './overview.ts'
import { playgroundMessages } from './playground.ts'
import { problemMessages } from './problems.ts'
import { refusalMessages } from './refusals.ts'
import { requestMessages } from './requests.ts'
import { settingFieldMessages } from './setting-fields.ts'
import { settingsMessages } from './settings.ts'
import { sharedMessages } from './shared.ts'
import { shellMessages } from './shell.ts'
import { singleSignOnMessages } from './single-sign-on.ts'
import { usageMessages } from './usage.ts'
import { userMessages } from './users.ts'

/** All texts of the console. Their types require the same keys in every other language. */
export const englishMessages = {
  ...accountMessages,
  ...auditMessages,
  ...budgetMessages,
  ...commonMessages,
  ...draftMessages,
  ...errorMessages,
  ...keyMessages,
  ...limitMessages,
  ...certificationMessages,
  ...channelMessages,
  ...connectMessages,
  ...alertMessages,
  ...captureMessages,
  ...healthMessages,
  ...lossMessages,
  ...modelMessages,
  ...nodeMessages,
  ...overviewMessages,
  ...playgroundMessages,
  ...problemMessages,
  ...refusalMessages,
  ...requestMessages,
  ...settingFieldMessages,
  ...settingsMessages,
  ...sharedMessages,
  ...shellMessages,
  ...singleSignOnMessages,
  ...groupMessages,
  ...usageMessages,
  ...userMessages,
}

export type MessageKey = keyof typeof englishMessages
export type Catalogue = Readonly<Record<MessageKey, Message>>

/** The same keys in another language. */
export type Translated<Messages> = Readonly<Record<keyof Messages, Message>>
