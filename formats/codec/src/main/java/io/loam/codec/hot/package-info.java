/** Objects of hot artifacts: ready-made graphs of vector columns. */
package io.loam.codec.hot;
