import 'uplot/dist/uPlot.min.css'
import './page.css'
import { Page } from './page.ts'

new Page().start()
