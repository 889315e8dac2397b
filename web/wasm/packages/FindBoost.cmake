set(Boost_FOUND TRUE)  # its target is made in ../CMakeLists.txt
