import type { auditMessages } from '../en/audit.ts'
import type { Translated } from '../en/messages.ts'

export const chineseAuditMessages: Translated<typeof auditMessages> = {
  'audit.description': '密钥、人员和配置的每次更改：谁、改了什么、何时、从何处。',
  'audit.one': '记录 {number}',
  'audit.none': '尚无任何更改',
  'audit.none.advice': '对密钥、用户或配置的首次更改会显示在这里。',
  'audit.gone': '没有这条记录',
  'audit.gone.advice': '地址中的编号可能有误。关闭后可查看最新记录。',
  'audit.action': '操作',
  'audit.details': '更改内容',
  'audit.details.none': '没有更多内容。',
  'audit.author': '操作者',
  'audit.credential': '登录方式',
  'audit.address': '来源',
  'audit.subject': '对象',
  'audit.at': '时间',
}
