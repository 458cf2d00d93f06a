export { createDashboard, type DashboardOptions } from './dashboard.ts'
